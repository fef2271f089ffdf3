// Tests the page in headless Chromium: what a user sees, and that hostile input does no harm.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";

const page_url = new URL("../dist/y3.html", import.meta.url).href;
let browser, context, page, folder;
const faults = [];
const requests = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "y3-"));
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
  context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  page = await context.newPage();
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("dialog", (dialog) => (faults.push(`dialog: ${dialog.message()}`), dialog.dismiss()));
  page.on("request", (request) => request.url().startsWith("file:") || request.url().startsWith("data:") || requests.push(request.url()));
});
after(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

async function show(parts) {
  await page.goto("about:blank");
  await page.goto(`${page_url}#${new URLSearchParams(parts)}`);
  await page.waitForSelector("html[data-ready]");
}

const said = () => page.textContent("#said");
const rows = () => page.locator(".row").allTextContents();

test("hexadecimal becomes a tree, and a path marks its hits", async () => {
  await show({ input: "81 06 11 01 07 13 01 61", paths: "01/13" });
  assert.equal((await rows()).length, 3);
  assert.match((await rows())[2], /0x13: 1 byte/);
  assert.deepEqual(await page.locator(".row.hit").count(), 1);
  assert.match(await said(), /1 hit\. 8 bytes, read as hexadecimal\. No fault/);
});

test("a byte lights its packet, and a packet its bytes", async () => {
  await show({ input: "81 06 11 01 07 13 01 61" });
  await page.hover('.byte[data-at="4"]');
  assert.deepEqual(await page.locator(".byte.own").allTextContents(), ["11", "01", "07"]);
  assert.match(await page.locator(".row.own").textContent(), /0x11/);
  await page.hover('.row[data-row="0"]');
  assert.deepEqual(await page.locator(".byte.own").allTextContents(), ["81", "06"]);
  assert.equal(await page.locator(".byte.inside").count(), 6);
});

test("the keyboard moves through the packets", async () => {
  await show({ input: "81 06 11 01 07 13 01 61" });
  await page.focus('.row[data-row="0"]');
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.match(await page.locator(".row.own").textContent(), /0x13/);
  await page.keyboard.press("Home");
  assert.match(await page.locator(".row.own").textContent(), /0x01 node/);
  await page.keyboard.press("End");
  assert.match(await page.locator(".row.own").textContent(), /0x13/);
});

test("ten broken packets show their faults where they are, and nothing is thrown", async () => {
  const broken = [
    ["01", "0"], ["81 05 11 07 3e 80 00", "2"], ["01 7f", "0"], ["01 80 80 80 80 80 00", "0"], ["84 07 01 01 05 83 04 02 01 ff 02", "5"],
    ["01 05 00", "0"], ["81 02 11 05", "2"], ["c0 03 00 02 01", "2"], ["01 87 ff ff ff 7f", "0"], ["81 80", "0"],
  ];
  for (const [input, offset] of broken) {
    await show({ input, form: "hex" });
    const fault = page.locator(".row:has(.fault)").first();
    assert.match(await fault.textContent(), new RegExp(`^ *${offset} `), input);
    assert.match(await said(), /First fault/);
  }
  assert.deepEqual(faults, []);
});

test("a link that names types without end is answered in bounded steps", async () => {
  const itself = Array.from({ length: 64 }, (_, key) => `${key.toString(16).padStart(2, "0")} f${key} t`).join(" ");
  for (const names of ["t=[t] 01 a t", "t=map t 01 a t", `t={${itself}} 01 a t`, `t=packets{${itself}} 01 a t`]) {
    const start = performance.now();
    await show({ input: "8100", names });
    assert.match(await said(), /No fault/, names);
    assert.ok(performance.now() - start < 5000, `${names}: ${performance.now() - start} ms`);
  }
});

test("typing in an input with many line ends stays quick", async () => {
  await show({ input: "00 00" });
  const seconds = (lines) => page.evaluate((lines) => {
    const input = document.getElementById("input");
    input.value = "01 00\n\n".repeat(lines / 2);
    const start = performance.now();
    input.dispatchEvent(new Event("input"));
    return performance.now() - start;
  }, lines);
  await seconds(2000);
  const [few, many] = [await seconds(5000), await seconds(40000)];
  assert.ok(many < 32 * Math.max(few, 20), `${few} ms for 5,000 line ends, ${many} ms for 40,000`);
  assert.match(await said(), /40000 bytes, read as hexadecimal/);
});

test("a file that cannot be read has a message", async () => {
  await show({ input: "00 00" });
  for (const [id, read] of [["file", "arrayBuffer"], ["names-file", "text"]]) {
    await page.evaluate((read) => {
      File.prototype[read] = () => Promise.reject(new DOMException("it was moved", "NotFoundError"));
    }, read);
    await page.setInputFiles(`#${id}`, { name: `gone\u202e.y3`, mimeType: "text/plain", buffer: Buffer.from("x") });
    await page.waitForFunction(() => /cannot be read/.test(document.getElementById("said").textContent));
    assert.equal(await said(), "gone\\u{202e}.y3 cannot be read: it was moved");
    assert.equal(await page.locator("#said.bad").count(), 1);
    await page.reload();
  }
});

test("axe finds nothing, with packets, without, and with more than are shown", async () => {
  const axe = await readFile(new URL("../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
  const other = await browser.newContext({ bypassCSP: true });
  const shown = await other.newPage();
  for (const parts of [{ input: "" }, { input: "8106110107130161 017f", names: "01 reading { 11 noise u8 13 device bool }", paths: "01/11" }, { input: "0100".repeat(1500) }]) {
    await shown.goto("about:blank");
    await shown.goto(`${page_url}#${new URLSearchParams(parts)}`);
    await shown.waitForSelector("html[data-ready]");
    await shown.evaluate(axe);
    const { violations } = await shown.evaluate(() => window.axe.run());
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)]), []);
  }
  await other.close();
});

test("a names file gives packets their names, and says where it is wrong", async () => {
  await show({ input: "81 06 11 01 07 13 01 61", names: "01 reading { 11 noise u8 13 device text }" });
  assert.match((await rows()).join("\n"), /reading.*noise = 7.*device = "a"/s);
  await show({ input: "81 06 11 01 07 13 01 61", names: "01 reading { 11 noise" });
  assert.match(await said(), /names file, 1:14: /);
});

test("hostile strings are text: no script runs, nothing is sent, nothing is drawn from them", async () => {
  const hostile = '<img src=x onerror=alert(1)><script>alert(2)</script>"\'&{{}}';
  const bytes = Buffer.from(hostile);
  const input = Buffer.concat([Buffer.from([0x13, bytes.length]), bytes]).toString("hex");
  await show({ input, paths: hostile });
  await show({ input: hostile, form: "text", paths: "<b>" });
  await show({ input, names: `13 a text ${hostile}` });
  await show({ input, form: "<svg onload=alert(3)>", names: "13 a text" });
  assert.match((await rows())[0], /<img src=x/);
  assert.equal(await page.locator("#tree img, #tree script, body svg, #said b").count(), 0);
  await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.injected = 1";
    document.body.append(script);
    return fetch("http://127.0.0.1:9/").catch(() => 0);
  });
  assert.equal(await page.evaluate(() => window.injected), undefined);
  assert.deepEqual([faults, requests], [[], []]);
});

test("a file of one megabyte of packets is shown below a second", async () => {
  const file = join(folder, "large.y3");
  await writeFile(file, Buffer.from("8106110107130161".repeat(131072), "hex"));
  await show({ input: "00 00" });
  await page.evaluate(() => {
    const watcher = new MutationObserver(() => document.querySelectorAll(".row").length > 500 && (window.shown = performance.now()));
    watcher.observe(document.getElementById("tree"), { childList: true });
    document.getElementById("file").addEventListener("change", () => (window.taken = performance.now()), { capture: true });
  });
  await page.setInputFiles("#file", file);
  await page.waitForFunction(() => window.shown);
  const took = await page.evaluate(() => window.shown - window.taken);
  console.log(`# one megabyte shown after ${Math.round(took)} ms`);
  assert.match(await said(), /1048576 bytes, large\.y3/);
  await page.click(".more");
  assert.equal(await page.locator(".row").count(), 2000);
});

test("a link holds what is shown", async () => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]).catch(() => 0);
  await show({ input: "81 06 11 01 07 13 01 61", paths: "01/11", open: "1", names: "01 reading { 11 noise u8 13 device text }" });
  await page.click('[data-copy="link"]');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.goto("about:blank");
  await page.goto(link);
  await page.waitForSelector(".row.hit");
  await page.click('[data-copy="rust"]');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "[0x81, 0x06, 0x11, 0x01, 0x07, 0x13, 0x01, 0x61]");
  await page.click('[data-copy="text"]');
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^01\{/);
  await page.click('[data-copy="json"]');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), '{"reading":{"noise":7,"device":"a"}}\n');
});

test("a phone's width needs no scrolling sideways, in light and dark", async () => {
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 360, height: 740 });
    await show({ input: "84 07 01 01 05 83 04 02 01 ff 02" });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
    if (process.env.Y3_PICTURES) await page.screenshot({ path: join(process.env.Y3_PICTURES, `phone-${colorScheme}.png`) });
  }
  await page.setViewportSize({ width: 1200, height: 800 });
  await show({ input: "bf 1c 01 01 07 02 17 81 15 90 13 11 04 42 34 7a e1 12 01 7f 13 08 31 30 2e 30 2e 33 2e 37", open: "1", paths: "3f/02:01/10/11", names: "3f frame { 01 tag u32 02 payload packets { 01 data { 10 thing { 11 noise f32 12 time i64 13 device text } } } }" });
  await page.hover('.row[data-row="4"]');
  if (process.env.Y3_PICTURES) await page.screenshot({ path: join(process.env.Y3_PICTURES, "page.png") });
});
