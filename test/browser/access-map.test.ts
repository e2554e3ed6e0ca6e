import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { emptyState } from "../../src/model/state.ts";
import type { ObservedUser } from "../../src/model/user.ts";
import { roleSet } from "../../src/model/values.ts";
import { formatAccess } from "../../src/report/access/access-formats.ts";
import { mapAccess } from "../../src/report/access/access-map.ts";
import { chromiumPath, openBrowser, openFile } from "../support/browser.ts";
import { emptyDirectory } from "../support/command.ts";
import { insideScene } from "../support/inside-scene.ts";
import { aRoster } from "../support/roster-builders.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { aShownKey, aShownUser, aSnapshot } from "../support/snapshot-builders.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return page.evaluate<readonly string[]>(
    "axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target)))",
  );
}

/** A page of so many people and teams, each person with a key in three of them. */
function pageOf(people: number, teams: number): string {
  const roles = roleSet(["DEVELOPER"]);
  const users = Array.from({ length: people }, (_, n) => {
    const keys = [1, 7, 13].map((step) =>
      aShownKey(`k-${n}-${step}`, { name: `Team ${(n * step) % teams}` }, { roles }),
    );
    return aShownUser(`p${n}`, { keys });
  });
  return pageWith(users);
}

function pageWith(users: readonly ObservedUser[]): string {
  const known = { roster: aRoster({}), state: emptyState("l"), privilegedRoles: roleSet(["ADMIN"]) };
  const file = join(emptyDirectory(), "access.html");
  writeFileSync(file, formatAccess(mapAccess({ ...known, snapshot: aSnapshot({ users }) }), "html"));
  return file;
}

const roster = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: "<img src=x onerror=alert(1)>" }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz, until: 2099-01-31 }
teams:
  - { name: "<b onclick=alert(2)>Red", admin: ada@acme.example, roles: [DEVELOPER], members: [{ user: ada@acme.example }, { user: bo@acme.example }] }
`;

describe.skipIf(chromiumPath === undefined)("the access map in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser(chromiumPath ?? "");
  });
  afterAll(() => browser.close());

  test.each(["light", "dark"] as const)(
    "axe-core finds nothing in it and in the reports it begins, %s",
    async (colorScheme) => {
      const { cwd, run, server } = await insideScene();
      await writeRoster(cwd, { "roster.yaml": roster });
      await run(["plan", "--report", "html=plan.html"]);
      await run(["apply", "--auto-approve", "--report", "html=apply.html"]);
      const bo = server.world.users.find(({ email }) => email === "bo@acme.example");
      server.world.setKeyRoles(bo?.accessKeys.at(-1)?.prefix ?? "", ["ACCOUNT_ADMIN"]);
      await run(["drift", "--report", "html=drift.html"]);
      writeFileSync(join(cwd, "access.html"), (await run(["access", "--format", "html"])).stdout);
      for (const name of ["plan", "apply", "drift", "access"])
        for (const width of [400, 1200]) {
          const options = { colorScheme, viewport: { width, height: 900 } };
          const { page, deeds } = await openFile(browser, join(cwd, `${name}.html`), options);
          const map = await page.locator("h2").first().textContent();
          const title =
            name === "apply" ? /^Access before this run \(read at .*\), and planned changes$/ : /^Access map$/;
          expect([name, width, map]).toEqual([name, width, expect.stringMatching(title)]);
          expect([name, width, await findings(page)]).toEqual([name, width, []]);
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
          expect(await page.locator("img, b").count()).toBe(0);
          expect(deeds).toEqual([]);
          await page.close();
        }
    },
  );

  test("300 people and 40 teams are a grid that keeps its heads in sight and is searched", async () => {
    const { page } = await openFile(browser, pageOf(300, 40), { viewport: { width: 1600, height: 1000 } });
    expect(await page.locator(".map thead th").count()).toBe(41);
    expect(await findings(page)).toEqual([]);
    await page.locator(".wide").focus();
    await page.evaluate("document.querySelector('.wide').scrollTo(900, 900)");
    const [first, head] = [page.locator(".map tbody th").nth(40), page.locator(".map thead th").nth(20)];
    const box = await page.locator(".wide").boundingBox();
    expect((await first.boundingBox())?.x).toBe(box?.x);
    expect((await head.boundingBox())?.y).toBe(box?.y);
    const search = async (text: string, hits: number) => {
      await page.fill("#find", text);
      await page.locator("#count", { hasText: `${hits} of ` }).waitFor();
      const heads = page.locator(".map thead th").filter({ visible: true });
      return [await heads.allTextContents(), await page.locator(".map .row:visible").count()];
    };
    expect(await search("p299@", 4)).toEqual([["person", "Team 13", "Team 19", "Team 7"], 1]);
    // And not p39, who has keys in other teams.
    expect(await search("team 39", 46)).toEqual([["person", "Team 39"], 23]);
    expect(await search("p1@ team 13", 2)).toEqual([["person", "Team 1", "Team 13", "Team 7"], 1]);
    await page.fill("#find", "");
    await page.locator("#count", { hasText: /^\d+ rows$/u }).waitFor();
    expect(await page.locator(".map thead th:visible").count()).toBe(41);
    await page.close();
  });

  test("a person is found by a name that a team has too", async () => {
    const admin = { roles: roleSet(["ADMIN"]) };
    const ada = aShownUser("ada", { keys: [aShownKey("k-1", { name: "Smith Lab" }, admin)] });
    const smith = aShownUser("jo.smith", { keys: [aShownKey("k-2", { name: "Red" }, admin)] });
    const { page } = await openFile(browser, pageWith([ada, smith]), {});
    await page.fill("#find", "smith admin");
    await page.locator("#count", { hasText: "4 of 4" }).waitFor();
    expect(await page.locator(".map .row:visible").count()).toBe(2);
    await page.close();
  });

  test("on paper a map of many teams is a card for each person, and one of few is a table", async () => {
    for (const [teams, display] of [
      [40, "block"],
      [10, "table-row"],
    ] as const) {
      const { page } = await openFile(browser, pageOf(30, teams), { viewport: { width: 718, height: 900 } });
      await page.emulateMedia({ media: "print" });
      expect(await page.evaluate("getComputedStyle(document.querySelector('.map .row')).display")).toBe(display);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(718);
      await page.close();
    }
  });

  test("a phone shows of each person the teams that they are in", async () => {
    const { page } = await openFile(browser, pageOf(30, 12), { viewport: { width: 400, height: 900 } });
    const cells = page.locator(".map tr.row", { hasText: "p1@" }).locator("td, th").filter({ visible: true });
    expect(await cells.allTextContents()).toEqual(["p1@acme.example", "* DEVELOPER, * DEVELOPER", "* DEVELOPER"]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(400);
    await page.close();
  });

  test("10,000 people are found", async () => {
    const { page } = await openFile(browser, pageOf(10_000, 40), { viewport: { width: 1200, height: 900 } });
    await page.fill("#find", "p9999@");
    await page.locator("#count", { hasText: /^1 of \d+ rows$/u }).waitFor();
    expect(await page.locator(".row:visible").count()).toBe(1);
    expect(await page.locator("main").textContent()).toContain("--format csv lists all roles");
    await page.fill("#find", "");
    await page.locator("#count", { hasText: /^10000 rows$/u }).waitFor();
    await page.close();
  });

  test("without script the grid is a table", async () => {
    const { page } = await openFile(browser, pageOf(30, 12), { javaScriptEnabled: false });
    expect(await page.getByRole("rowheader").count()).toBe(30);
    await page.close();
  });
});
