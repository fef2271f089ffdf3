// The package and the conformance kit: every row that is asked is answered as the rows say, or skipped by name.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import test from "node:test";

const command = process.env.Y3_COMMAND;
const program = fileURLToPath(new URL("../conform.mjs", import.meta.url));

test("watch and text are whole, and core but for four rows", { skip: command ? false : "Y3_COMMAND names no y3" }, () => {
  const { stdout } = spawnSync(command, ["conform", "--cases", "0", "--exec", `'${process.execPath}' '${program}'`], { encoding: "utf8" });
  const profiles = stdout.split("\n\n").at(-1).trim().split("\n").map((line) => line.split(/\s+/));
  const tally = Object.fromEntries(profiles.map(([name, ...counts]) => [name, counts.slice(0, 3).map(Number)]));
  for (const [name, [passed, failed, skipped]] of Object.entries(tally)) {
    assert.equal(failed, 0, stdout);
    // Three lengths of values from 128 MiB on, and items of a slice whose keys the text form writes as they are.
    if (["core", "watch", "text"].includes(name)) assert.equal(skipped, name === "core" ? 4 : 0, stdout);
    else assert.equal(passed, 0, stdout);
  }
  assert.ok(tally.core[0] > 150 && tally.watch[0] > 80 && tally.text[0] > 160, stdout);
});
