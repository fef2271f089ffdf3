// Runs the consumer that was built for WebAssembly: node run.mjs consumer.wasm packets > answer
import { readFileSync } from "node:fs";

const [wasm, packets] = process.argv.slice(2).map((path) => readFileSync(path));
const module = new WebAssembly.Module(wasm);
// The program imports nothing. The only possible import is the call that a panic makes.
const imports = WebAssembly.Module.imports(module);
if (imports.length > 0) throw new Error(`it wants ${imports.map(({ name }) => name)}`);

const { memory, input, output, answer } = new WebAssembly.Instance(module).exports;
new Uint8Array(memory.buffer, input(), packets.length).set(packets);
const length = answer(packets.length, 1000);
if (length === 0) throw new Error("it found a fault");
process.stdout.write(new Uint8Array(memory.buffer, output(), length));
