import { describe, expect, test } from "vitest";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../src/reference-server/seed.ts";
import { printedWords } from "../support/drawn/printed-words.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { redRoster, redSeed } from "../support/trap-rosters.ts";
import { company, type Scene, scene, standing, writesOf } from "../support/trap-scene.ts";

interface Refusal {
  readonly knobs: Partial<Knobs>;
  readonly seed?: Seed;
  readonly roster: string;
  /** The requests that are refused, as often as the first apply sends them. */
  readonly refused: readonly string[];
  readonly told: readonly string[];
  /** A roster to which the service has no objection. */
  readonly corrected: string;
  readonly there: Partial<ReturnType<typeof standing>>;
}

const titled = company.replace("lastName: Diaz", `lastName: Diaz, title: ${"x".repeat(51)}`);
const toGone = "POST /api/accounting/teams/t-gone/members";
const create = "POST /api/accounting/accounts/acc-1/users";
const put = "PUT /api/accounting/access-keys/red0ada/roles";

const refusals: Readonly<Record<string, Refusal>> = {
  "a creation": {
    knobs: { maxTitle: 50 },
    roster: titled,
    refused: [create],
    told: ["!refused user bo@acme.example"],
    corrected: company,
    there: { people: ["ada@acme.example", "bo@acme.example"], mails: ["Red bo@acme.example"] },
  },
  "one person's part of an addition": {
    knobs: {},
    seed: redSeed(["ada", "bo"], ["ada"]),
    roster: redRoster(["bo"]).replace("t-red", "t-gone").replace("ada@", "bo@"),
    // Once by identifier, and once by address.
    refused: [toGone, toGone],
    told: ["!refused member bo@acme.example of team acc-1/red"],
    corrected: redRoster(["ada", "bo"]),
    there: { teams: ["Red: ada@acme.example, bo@acme.example"], mails: ["Red bo@acme.example"] },
  },
  "the roles of a key": {
    knobs: { putRoles: "reject-without-TEAM_ROLE" },
    seed: redSeed(["ada"], ["ada"], ["DEVELOPER"]),
    roster: redRoster(["ada"], "AUDITOR"),
    // Once as wanted, and once with the harmless role kept that the key has.
    refused: [put, put],
    told: ["!refused key red0ada"],
    corrected: redRoster(["ada"], "AUDITOR, TEAM_ROLE"),
    there: { keys: ["ada@acme.example Red: AUDITOR, TEAM_ROLE", "ada@acme.example own: TEAM_ROLE"] },
  },
};

/** The writes that a run of the command sends, with its exit code and what it tells. */
async function sentBy(at: Scene, run: () => ReturnType<Scene["apply"]>) {
  const before = writesOf(at.server).length;
  const { code, findings } = await run();
  return { code, told: findings, sent: writesOf(at.server).slice(before) };
}

describe.concurrent("what the service refuses for good", () => {
  test.for(Object.entries(refusals))("is not sent again as it was: %s", async ([, refusal], { onTestFinished }) => {
    const { refused, told, corrected, there, ...setting } = refusal;
    const at = await scene(onTestFinished, setting);
    const first = await sentBy(at, () => at.apply());
    const answered = at.server.requests
      .filter(({ status }) => status >= 400)
      .map(({ method, path }) => `${method} ${path}`);
    expect({ code: first.code, refused: answered }).toEqual({ code: 7, refused });
    expect(await sentBy(at, () => at.apply())).toEqual({ code: 9, told, sent: [] });
    const retries = async () => {
      const words = printedWords((await at.plan()).output.stdout).filter(({ what }) => what.startsWith("refused:"));
      return at.apply(...words.flatMap(({ word }) => ["--allow", word]));
    };
    expect(await sentBy(at, retries)).toMatchObject({ code: 7, sent: refused });
    expect(await sentBy(at, () => at.apply())).toEqual({ code: 9, told, sent: [] });
    await writeRoster(at.directory, { "roster.yaml": corrected });
    const last = await sentBy(at, () => at.apply());
    expect({ code: last.code, told: last.told, ...standing(at.server) }).toMatchObject({ code: 0, told: [], ...there });
    expect((await at.run(["state", "show", "--format", "json"])).stdout).toContain('"refusals": []');
  });

  test("is sent again by the words of the run that was refused", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, { knobs: { maxTitle: 50 }, roster: titled });
    const first = await at.run(["apply", "--auto-approve"]);
    const words = printedWords(first.stdout);
    expect(words.map(({ what }) => what)).toEqual(["refused:bo@acme.example"]);
    const flags = words.flatMap(({ word }) => ["--allow", word]);
    const again = await sentBy(at, () => at.apply(...flags));
    expect({ code: again.code, sent: again.sent.length > 0 }).toEqual({ code: 7, sent: true });
    const other = words.map(({ what }) => `${what}#0123456789ab`);
    const refused = await sentBy(at, () => at.apply(...other.flatMap((word) => ["--allow", word])));
    expect({ code: refused.code, sent: refused.sent }).toEqual({ code: 5, sent: [] });
  });

  test("and a first member who was refused with the team is tried alone, where another one needs them first", async ({
    onTestFinished,
  }) => {
    const roster = `${titled.replace("lastName: Lovelace", `lastName: Lovelace, title: ${"x".repeat(51)}`)}`;
    const at = await scene(onTestFinished, { knobs: { maxTitle: 50 }, roster });
    const runs = [
      await sentBy(at, () => at.apply()),
      await sentBy(at, () => at.apply()),
      await sentBy(at, () => at.apply()),
    ];
    expect(runs.map(({ code, sent }) => ({ code, sent: sent.length }))).toEqual([
      { code: 7, sent: 1 },
      // Bo may found the team, and needs Ada as its administrator.
      { code: 7, sent: 1 },
      { code: 9, sent: 0 },
    ]);
    expect(runs[2]?.told).toEqual(["!refused user ada@acme.example", "!cannot-create-team team acc-1/red"]);
    expect(standing(at.server).people).toEqual([]);
  });
});
