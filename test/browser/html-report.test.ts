import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { htmlFormat } from "../../src/report/html/html.ts";
import type { CommandOutcome } from "../../src/report/outcome.ts";
import { chromiumPath, openBrowser, openFile } from "../support/browser.ts";
import { emptyDirectory } from "../support/command.ts";
import { companyPlan } from "../support/company-plan.ts";
import { insideScene } from "../support/inside-scene.ts";
import { onLoopback } from "../support/loopback.ts";
import { writeRoster } from "../support/roster-directory.ts";

const htmlOf = (outcome: CommandOutcome) => htmlFormat(outcome).stdout;

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
    (await run(["plan", "--report", "html=plan.html"])).code,
    (await run(["apply", "--auto-approve", "--report", "html=apply.html"])).code,
  ];
  const key = server.world.users.find(({ email }) => email === "u1@acme.example")?.accessKeys.at(-1);
  server.world.setKeyRoles(key?.prefix ?? "", ["ACCOUNT_ADMIN", "<b onclick=alert(10)>"]);
  codes.push((await run(["drift", "--report", "html=drift.html"])).code);
  expect(codes).toEqual([0, 9, 2]);
  return ["plan", "apply", "drift"].map((name) => join(cwd, `${name}.html`));
}

function companyReport(...company: Parameters<typeof companyPlan>): string {
  const file = join(emptyDirectory(), "company.html");
  writeFileSync(file, htmlOf({ command: "plan", exitCode: 0, diagnostics: [], plan: companyPlan(...company) }));
  return file;
}

const twoFrames = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))";

async function countText(page: Page): Promise<string | null> {
  await page.evaluate(twoFrames);
  return page.locator("#count").textContent();
}

/** Milliseconds from a key to what it changes on the screen, for the slowest of some. */
async function slowestKey(page: Page, keys: readonly string[]): Promise<number> {
  await page.evaluate(
    "window.took = []; new PerformanceObserver((list) => took.push(...list.getEntriesByName('keydown'))).observe({ type: 'event', durationThreshold: 16 })",
  );
  for (const key of keys) {
    await page.keyboard.press(key);
    await countText(page);
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
    const long = companyReport(60, (team) => hostileNames[team % hostileNames.length] ?? "");
    for (const file of [...(await hostileReports()), long]) {
      const { page, deeds } = await openFile(browser, file);
      await page.getByRole("button", { name: "Open all" }).click();
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
    const port = await onLoopback(server, onTestFinished);
    const [file = ""] = await hostileReports();
    const tampered = file.replace(".html", "-tampered.html");
    const picture = `<img src="http://127.0.0.1:${port}/picture">`;
    const foreign = `<script>document.title = "foreign"</script><style>body { display: none }</style>${picture}`;
    writeFileSync(tampered, readFileSync(file, "utf8").replace("<main>", `<main>${foreign}`));
    const { page, deeds } = await openFile(browser, tampered);
    await page.waitForTimeout(300);
    expect(await page.title()).toMatch(/^Plan for http/u);
    expect(await page.locator("h1").isVisible()).toBe(true);
    expect(deeds.filter((deed) => deed.includes("violates the following Content Security Policy")).length).toBe(3);
    expect(asked).toEqual([]);
    await page.close();
  });

  test("filters the rows of 10,000 people as somebody types, and says how many it found", async () => {
    const { page, deeds } = await openFile(browser, companyReport(1000));
    expect(await countText(page)).toBe("10000 rows");
    await page.focus("#find");
    const typed = await slowestKey(page, ["p", "1", "2", "n"]);
    console.info(`Each keystroke over 10,000 rows was on the screen within ${typed} ms.`);
    expect(await countText(page)).toBe("10 of 10000 rows");
    expect(await page.locator(".group:not([hidden])").count()).toBe(1);
    await page.fill("#find", "  P12N3 new ");
    expect(await countText(page)).toBe("1 of 10000 rows");
    expect(await page.locator(".row:visible").allInnerTexts()).toEqual([expect.stringContaining("p12n3@acme.example")]);
    const cleared = await slowestKey(page, ["Escape"]);
    console.info(`After the key that clears the search, the first of 10,000 rows were back within ${cleared} ms.`);
    expect(await countText(page)).toBe("10000 rows");
    for (const key of ["z", "z"]) await page.locator("#find").press(key);
    expect(await countText(page)).toBe("0 of 10000 rows");
    await page.locator("#find").press("Escape");
    await page.selectOption("#only", "+ adds");
    expect(await countText(page)).toBe("10000 of 10000 rows");
    await page.getByRole("button", { name: "Close all" }).click();
    expect(await page.locator("details[open]").count()).toBe(0);
    await page.getByRole("button", { name: "Open all" }).click();
    expect(await page.locator("details:not([open])").count()).toBe(0);
    expect(deeds).toEqual([]);
    await page.close();
  });

  test("finds what a row shows, and not the reasons that are folded in it", async () => {
    const { page } = await openFile(browser, companyReport(1));
    await page.fill("#find", "entry under users");
    expect(await countText(page)).toBe("0 of 10 rows");
    await page.fill("#find", "");
    await page.locator("li.row summary").first().click();
    await page.locator("li.row .lines", { hasText: "the entry under users" }).first().waitFor();
    await page.close();
  });

  test("prints ten people with all their reasons on three pages at most, with and without script", async () => {
    for (const javaScriptEnabled of [true, false]) {
      const { page } = await openFile(browser, companyReport(1), { javaScriptEnabled });
      const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
      const pages = pdf.match(/\/Type \/Page\n/gu)?.length ?? 0;
      expect([pages, pages >= 1 && pages <= 3]).toEqual([pages, true]);
      await page.emulateMedia({ media: "print" });
      const reasons = page.locator(".lines", { hasText: "the entry under users" });
      expect(await reasons.filter({ visible: true }).count()).toBe(10);
      await page.close();
    }
  });

  test("has what is searched for in its address, and searches for what its address says", async () => {
    const file = companyReport(1);
    const { page, deeds } = await openFile(browser, `${file}#q=p0n3+invited&show=%2B+adds`);
    expect(await page.inputValue("#find")).toBe("p0n3 invited");
    expect(await countText(page)).toBe("1 of 10 rows");
    await page.fill("#find", "<b> & p0n4");
    await page.waitForURL(`file://${file}#q=%3Cb%3E+%26+p0n4&show=%2B+adds`);
    await page.locator("#find").press("Escape");
    await page.waitForURL(`file://${file}`);
    await page.goto(`file://${file}#q=p0n5`);
    expect(await countText(page)).toBe("1 of 10 rows");
    await page.getByRole("link", { name: "Changes" }).click();
    expect(await countText(page)).toBe("1 of 10 rows");
    expect(deeds).toEqual([]);
    await page.close();
  });

  test("does nothing at a letter or a sign that is typed outside a field", async () => {
    const { page } = await openFile(browser, companyReport(1));
    const state = () =>
      page.evaluate("[document.activeElement.id, document.querySelectorAll('details[open]').length, location.hash]");
    const before = await state();
    for (const key of "abcdefghijklmnopqrstuvwxyz/?.,0123456789") await page.keyboard.press(key);
    await page.evaluate(twoFrames);
    expect(await state()).toEqual(before);
    await page.close();
  });

  test("can be read and opened without script, and prints what is closed", async () => {
    const [file = ""] = await hostileReports();
    const { page, deeds } = await openFile(browser, file, { javaScriptEnabled: false });
    expect(await page.locator("#tools").isVisible()).toBe(false);
    const row = page.locator("li.row").first();
    const why = row.locator(".lines").first();
    expect(await why.isVisible()).toBe(false);
    await row.locator("summary").click();
    expect(await why.isVisible()).toBe(true);
    await row.locator("summary").click();
    await page.emulateMedia({ media: "print" });
    expect(await why.isVisible()).toBe(true);
    expect(deeds).toEqual([]);
    await page.close();
  });

  test("names what a screen reader needs, each button by what it copies, and copies a command", async () => {
    const [file = ""] = await hostileReports();
    const { page } = await openFile(browser, file, { permissions: ["clipboard-read", "clipboard-write"] });
    for (const name of ["banner", "navigation", "search", "main"] as const) {
      await page.getByRole(name).first().waitFor();
      expect(await page.getByRole(name).count()).toBe(1);
    }
    const headings = "[...document.querySelectorAll('h1, h2, h3')].map(({ tagName }) => Number(tagName.slice(1)))";
    const levels = await page.evaluate<readonly number[]>(headings);
    expect(levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1)).toEqual([]);
    expect(await page.getByRole("searchbox", { name: "Search" }).count()).toBe(1);
    await page.getByRole("button", { name: "Open all" }).click();
    const labels = await page.evaluate<readonly string[]>(
      "[...document.querySelectorAll('.paste button')].map(({ ariaLabel }) => ariaLabel)",
    );
    expect(labels.length).toBe(await page.locator(".paste").count());
    expect(new Set(labels).size).toBe(new Set(await page.locator(".paste code").allTextContents()).size);
    const paste = page.locator(".paste", { hasText: "# To accept this until a date:" }).first();
    await paste.getByRole("button", { name: /^Copy # To accept this / }).click();
    await paste.getByRole("button", { name: /^Copied # To accept this / }).waitFor();
    const copied = await page.evaluate<string>("navigator.clipboard.readText()");
    expect(copied).toBe(await paste.locator("code").textContent());
    expect(copied).toMatch(/^# To accept this until a date:\naccept:\n {2}- \{ /u);
    await page.close();
  });

  test.each([400, 1200, 2400])("fits %i pixels, light and dark", async (width) => {
    for (const file of await hostileReports()) {
      for (const colorScheme of ["light", "dark"] as const) {
        const { page } = await openFile(browser, file, { viewport: { width, height: 1000 }, colorScheme });
        await page.getByRole("button", { name: "Open all" }).click();
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
