import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { renderHtml } from "../../src/report/html/html.ts";
import { chromiumPath, openBrowser, openFile } from "../support/browser.ts";
import { emptyDirectory } from "../support/command.ts";
import { companyPlan } from "../support/company-plan.ts";
import { insideScene } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

/** Names that are markup, attributes, scripts, entities, ends of elements or addresses of scripts, where they are not escaped. */
const hostileNames = [
  "<img src=x onerror=alert(1)>",
  "</style></script><script>alert(2)</script>",
  "\\u0022 onmouseover=alert(3) autofocus onfocus=alert(4) x=\\u0022",
  "' style='background:url(http://127.0.0.1:9/leak)",
  "<!--<svg/onload=alert(5)>",
  "]]><iframe src=javascript:alert(6)></iframe>",
  "&lt;script&gt;alert(7)&lt;/script&gt;",
  "javascript:alert(8)//<a href=javascript:alert(9)>",
  "<meta http-equiv=refresh content='0;url=http://127.0.0.1:9/'>",
  "<base href=http://127.0.0.1:9/><link rel=stylesheet href=/x>",
];

const hostileRoster = `version: 1
account: acc-1
users:
${hostileNames.map((name, index) => `  - { email: u${index}@acme.example, firstName: U${index}, lastName: "${name}" }`).join("\n")}
  - { email: admin@acme.example, firstName: Ad, lastName: Min, ownKeyRoles: [ACCOUNT_ADMIN] }
teams:
${hostileNames.map((name, index) => `  - { name: "${name}", admin: u${index}@acme.example, roles: [DEVELOPER], members: [{ user: u${index}@acme.example }] }`).join("\n")}
`;

/** The reports of a plan, an apply and a drift of that roster, as files. */
async function hostileReports(): Promise<readonly string[]> {
  const { cwd, run, server } = await insideScene();
  await writeRoster(cwd, { "roster.yaml": hostileRoster });
  const codes = [
    (await run(["plan", "--title", hostileNames[0] ?? "", "--report", "html=plan.html"])).code,
    (await run(["apply", "--auto-approve", "--report", "html=apply.html"])).code,
  ];
  const key = server.world.users.find(({ email }) => email === "u1@acme.example")?.accessKeys.at(-1);
  server.world.setKeyRoles(key?.prefix ?? "", ["ACCOUNT_ADMIN", "<b onclick=alert(10)>"]);
  codes.push((await run(["drift", "--report", "html=drift.html"])).code);
  expect(codes).toEqual([0, 9, 2]);
  return ["plan", "apply", "drift"].map((name) => join(cwd, `${name}.html`));
}

function bigReport(): string {
  const file = join(emptyDirectory(), "big.html");
  writeFileSync(file, renderHtml({ command: "plan", exitCode: 0, diagnostics: [], plan: companyPlan(1000) }));
  return file;
}

/** What is shown of the rows. */
async function shownRows(page: Page): Promise<{ readonly count: string; readonly rows: number }> {
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  await page.locator("main[aria-busy=true]").waitFor({ state: "detached" });
  const count = await page.locator("#count").textContent();
  const rows = await page.evaluate<number>(
    "[...document.querySelectorAll('.row')].filter((row) => row.closest('[hidden]') === null).length",
  );
  return { count: count ?? "", rows };
}

/** Milliseconds from a key to what it changes on the screen, for the slowest of some. */
async function slowestKey(page: Page, keys: readonly string[]): Promise<number> {
  await page.evaluate(
    "window.took = []; new PerformanceObserver((list) => took.push(...list.getEntriesByName('keydown'))).observe({ type: 'event', durationThreshold: 16 })",
  );
  for (const key of keys) {
    await page.keyboard.press(key);
    await shownRows(page);
  }
  await page.waitForTimeout(500);
  return Math.max(0, ...(await page.evaluate<readonly number[]>("took.map(({ duration }) => duration)")));
}

describe.skipIf(chromiumPath === undefined)("the HTML report in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(chromiumPath ?? "");
  });
  afterAll(() => browser.close());

  test("runs nothing of hostile names, and asks for nothing, with everything open and in print", async () => {
    for (const file of await hostileReports()) {
      const { page, deeds } = await openFile(browser, file);
      await page.keyboard.press("e");
      await page.mouse.move(300, 500);
      for (const name of hostileNames) await page.fill("#find", name);
      await page.fill("#find", "");
      await page.emulateMedia({ media: "print" });
      await page.waitForTimeout(300);
      expect(deeds).toEqual([]);
      const foreign =
        "img, iframe, svg, base, b, a:not([href^='#']), [onclick], [onload], [onerror], [style], main script";
      expect(await page.locator(foreign).count()).toBe(0);
      expect(await page.locator("body").textContent()).toContain("</script><script>alert(2)</script>");
      await page.close();
    }
  });

  test("a script, a style or a picture that is not the report's own is refused by its policy", async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? "");
      response.end();
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    onTestFinished(() => void server.close());
    const [file = ""] = await hostileReports();
    const tampered = file.replace(".html", "-tampered.html");
    const { port } = server.address() as AddressInfo;
    const picture = `<img src="http://127.0.0.1:${port}/picture">`;
    const foreign = `<script>document.title = "foreign"</script><style>body { display: none }</style>${picture}`;
    writeFileSync(tampered, readFileSync(file, "utf8").replace("<main>", `<main>${foreign}`));
    const { page, deeds } = await openFile(browser, tampered);
    await page.waitForTimeout(300);
    expect(await page.title()).toMatch(/^roster plan/u);
    expect(await page.locator("h1").isVisible()).toBe(true);
    expect(deeds.filter((deed) => deed.includes("violates the following Content Security Policy")).length).toBe(3);
    expect(asked).toEqual([]);
    await page.close();
  });

  test("filters 10,000 people by words and labels, opens and closes them from the keyboard, and says how many it shows", async () => {
    const { page, deeds } = await openFile(browser, bigReport());
    expect(await shownRows(page)).toEqual({ count: "15000 rows", rows: 15000 });
    await page.keyboard.press("/");
    const typed = await slowestKey(page, ["p", "1", "2", "n"]);
    console.info(`Each keystroke over 15,000 rows was on the screen within ${typed} ms.`);
    expect(await shownRows(page)).toEqual({ count: "12 of 15000 rows", rows: 12 });
    expect(await page.locator(".group:not([hidden])").count()).toBe(1);
    await page.fill("#find", "  P12N3 new ");
    expect(await shownRows(page)).toEqual({ count: "1 of 15000 rows", rows: 1 });
    const cleared = await slowestKey(page, ["Escape"]);
    console.info(`After the key that clears the search, the first of 15,000 rows were back within ${cleared} ms.`);
    expect(await shownRows(page)).toEqual({ count: "15000 rows", rows: 15000 });
    await page.keyboard.press("/");
    for (const key of ["p", "9", "Escape", "z", "z"]) await page.keyboard.press(key);
    expect(await shownRows(page)).toEqual({ count: "0 of 15000 rows", rows: 0 });
    await page.keyboard.press("Escape");
    await page.emulateMedia({ media: "print" });
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await page.locator(".group:not([hidden])").count()).toBe(1000);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    await page.emulateMedia({ media: "screen" });
    await page.selectOption("#only", "adds");
    expect(await shownRows(page)).toEqual({ count: "10000 of 15000 rows", rows: 10000 });
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("c");
    expect(await page.locator("details[open]").count()).toBe(0);
    await page.keyboard.press("e");
    expect(await page.locator("details:not([open])").count()).toBe(0);
    expect(deeds).toEqual([]);
    await page.close();
  });

  test("can be read and opened without script, and prints what is closed", async () => {
    const [file = ""] = await hostileReports();
    const { page, deeds } = await openFile(browser, file, { javaScriptEnabled: false });
    expect(await page.locator("#tools").isVisible()).toBe(false);
    const row = page.locator("li.row").first();
    const why = row.locator(".lines");
    expect(await why.isVisible()).toBe(false);
    await row.locator("summary").click();
    expect(await why.isVisible()).toBe(true);
    await row.locator("summary").click();
    await page.emulateMedia({ media: "print" });
    expect(await why.isVisible()).toBe(true);
    expect(deeds).toEqual([]);
    await page.close();
  });

  test("names what a screen reader needs, and copies a command", async () => {
    const [file = ""] = await hostileReports();
    const { page } = await openFile(browser, file, { permissions: ["clipboard-read", "clipboard-write"] });
    for (const name of ["banner", "navigation", "search", "main"] as const)
      expect(await page.getByRole(name).count()).toBe(1);
    const headings = "[...document.querySelectorAll('h1, h2, h3')].map(({ tagName }) => Number(tagName.slice(1)))";
    const levels = await page.evaluate<readonly number[]>(headings);
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
    expect(await page.getByRole("searchbox", { name: "Search" }).count()).toBe(1);
    await page.keyboard.press("e");
    const paste = page.locator(".paste", { hasText: "roster apply" }).first();
    await paste.getByRole("button", { name: "Copy" }).click();
    await paste.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate<string>("navigator.clipboard.readText()")).toMatch(
      /^roster apply --allow [\w-]+@[0-9a-f]+$/u,
    );
    await page.close();
  });

  test.each([400, 1200, 2400])("fits %i pixels, light and dark", async (width) => {
    for (const file of await hostileReports()) {
      for (const colorScheme of ["light", "dark"] as const) {
        const { page } = await openFile(browser, file, { viewport: { width, height: 1000 }, colorScheme });
        await page.keyboard.press("e");
        expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        await keepPicture(page, `${file.replace(/^.*\//u, "").replace(".html", "")}-${width}-${colorScheme}`);
        await page.close();
      }
    }
  });
});

/** For people who look at it: `SCREENSHOTS` names a folder. */
async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env["SCREENSHOTS"];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
