import { expect, test } from "vitest";
import { plain } from "../../../src/report/document/tree.ts";
import { formats } from "../../../src/report/formats.ts";
import type { CommandOutcome } from "../../../src/report/outcome.ts";
import { driftMessage } from "../../../src/report/webhook.ts";
import { driftOfScene, type OutsideSceneName } from "../../support/outside-scenes.ts";
import { isWebhookMessage } from "../../support/webhook-message.ts";

/** Scene, level of its annotation, privileged gains, whose it is, and what every format says of it. */
const scenes = `
escalation | error | 1 | olga | olga@acme.example's key in Pricing gained ACCOUNT_ADMIN (not by roster). \`roster apply\` changes the roles: -ACCOUNT_ADMIN, keeps DEVELOPER, TEAM_ROLE.
loss | warning | 0 | olga | olga@acme.example's key in Pricing lost DEVELOPER (not by roster). \`roster apply\` changes the roles: +DEVELOPER, keeps TEAM_ROLE.
removed member | error | 0 | olga | olga@acme.example was removed from Pricing and lost DEVELOPER, TEAM_ROLE (not by roster).
added member | error | 0 | zed | zed@acme.example was added to Pricing and gained AUDITOR (not by roster).
added administrator | error | 1 | zed | zed@acme.example was added to Pricing and gained ACCOUNT_ADMIN (not by roster).
escalation of a key that the roster leaves alone | error | 1 | pat | pat@acme.example's own key gained ACCOUNT_ADMIN (not by roster).
removed user | error | 0 | olga | olga@acme.example was removed from the service and lost DEVELOPER, TEAM_ROLE (not by roster).
renamed team | notice | 0 | - | The team Pricing was renamed to Rates (not by roster). \`roster apply\` does not change it.
changed address | error | 0 | olga | The address of olga@acme.example was changed to olga.b@acme.example (not by roster).
removed key | error | 0 | - | The key k-gone with DEVELOPER, TEAM_ROLE was removed (not by roster).
`
  .trim()
  .split("\n")
  .map((row) => {
    const [name = "", level = "", gains = "", who = "", says = ""] = row.split(" | ");
    const severity = gains === "1" ? "critical" : level === "warning" ? "warning" : "error";
    return { name: name as OutsideSceneName, level, severity, gains: Number(gains), who, says };
  });

const delivery = { delivery: "d-1", at: "2026-11-20T12:00:00.000Z", rosterVersion: "0.1.0" };

function escaped(text: string): string {
  return text.replace(/[.()+]/gu, "\\$&");
}

function outcomeOf(name: OutsideSceneName): CommandOutcome {
  const { plan, drift } = driftOfScene(name);
  const exitCode = name === "loss" || name === "escalation" ? 2 : 9;
  return {
    command: "drift",
    exitCode,
    diagnostics: [],
    plan,
    drift: { drift, tasks: { open: [], closed: [] }, shows: "everything", record: { is: "recorded" } },
  };
}

async function rendered(name: OutsideSceneName, format: keyof typeof formats): Promise<string> {
  const { stdout } = await (await formats[format].load())(outcomeOf(name), { paint: plain });
  return stdout;
}

test.each(scenes)("$name: every format that shows drift says what happened", async ({ name, says, level, gains }) => {
  const oneLine = (text: string) =>
    text
      .replace(/`|\\/gu, "")
      .replace(/\s+/gu, " ")
      .replace(/ · roster\.yaml:\d+:\d+(?: and \d+ more)?/gu, "");
  for (const format of ["github", "gitlab", "sarif"] as const) {
    expect(oneLine(await rendered(name, format)), format).toContain(oneLine(says));
  }
  const under = gains === 0 ? says.replace(" (not by roster)", "") : says;
  expect(oneLine(await rendered(name, "markdown"))).toContain(oneLine(under));
  const [happened = "", next = ""] = under.split(/(?<=\.) (?=`roster|A person)/u);
  expect((await rendered(name, "text")).replace(/\s+/gu, " ")).toMatch(
    new RegExp(`${escaped(happened)} (?:roster\\.yaml:\\d+:\\d+(?: \\(\\+\\d+ places?\\))? )?${escaped(next)}`, "u"),
  );
  const sarif = JSON.parse(await rendered(name, "sarif")) as {
    readonly runs: readonly {
      readonly results: readonly { readonly level: string; readonly message: { text: string } }[];
    }[];
  };
  const result = sarif.runs[0]?.results.find(({ message }) => message.text.includes(says));
  expect(result?.level).toBe(level === "notice" ? "note" : level);
  expect(await rendered(name, "github")).toContain(`\n::${level} `);
  expect(await rendered(name, "prometheus")).toContain(`\nroster_drift_privileged_gains{command="drift"} ${gains}\n`);
  const json = JSON.parse(await rendered(name, "json")) as { readonly drift: { readonly privileged_gains: number } };
  expect(json.drift.privileged_gains).toBe(gains);
  const { outputs } = await (await formats.github.load())(outcomeOf(name), { paint: plain });
  expect(outputs?.get("privileged_gains")).toBe(String(gains));
});

test.each(scenes)("$name: the webhook names who, what and how bad it is", ({ name, says, severity, gains, who }) => {
  const message = JSON.parse(driftMessage(outcomeOf(name), delivery)) as Readonly<Record<string, unknown>>;
  expect(isWebhookMessage(message), JSON.stringify(isWebhookMessage.errors)).toBe(true);
  expect([message["severity"], message["privileged_gains"]]).toEqual([severity, gains]);
  // A notice counts for nothing, so that nobody is alarmed by it.
  if (name === "renamed team") return;
  expect(String(message["text"]).split("\n")[1]).toBe(`${gains === 1 ? "Privileged gain: " : ""}${says}`);
  const [item] = message["items"] as readonly {
    readonly privileged: boolean;
    readonly outside: readonly { readonly person?: { readonly email: string } }[];
  }[];
  expect([item?.outside[0]?.person?.email ?? "-@acme.example", item?.privileged]).toEqual([
    `${who}@acme.example`,
    gains === 1,
  ]);
});

test("a privileged gain comes first, whatever else differs", async () => {
  const [first] = (await rendered("escalation", "text")).split("\n").filter((line) => line.startsWith("  !"));
  expect(first).toContain("  ! olga@acme.example's key in Pricing gained ACCOUNT_ADMIN (not by roster).");
  expect((await rendered("escalation", "markdown")).split("\n")[1]).toBe(
    "## Drift at `https://simulated.example`: 1 difference, with extra privileged roles on 1 key",
  );
});

test("a chat gets no mention, no link and no markup from a name", () => {
  const { plan, drift } = driftOfScene("escalation");
  const [item] = drift.items;
  if (item?.outside?.[0] === undefined) throw new Error("nothing was changed outside roster");
  const hostile = { ...item, outside: [{ ...item.outside[0], team: "<!channel> [pay](https://evil.example)\n&" }] };
  const outcome: CommandOutcome = {
    ...outcomeOf("escalation"),
    plan,
    drift: {
      drift: { ...drift, items: [hostile] },
      tasks: { open: [], closed: [] },
      shows: "everything",
      record: { is: "recorded" },
    },
  };
  const { text } = JSON.parse(driftMessage(outcome, delivery)) as { readonly text: string };
  expect(text.split("\n")[1]).toContain("key in &lt;!channel&gt; [pay] (https://evil.example)");
  expect(text.split("\n").length).toBe(2);
});
