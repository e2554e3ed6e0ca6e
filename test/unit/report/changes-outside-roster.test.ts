import { expect, test } from "vitest";
import type { AnnotationLevel } from "../../../src/report/ci/annotations.ts";
import { formats, formatsOf } from "../../../src/report/formats.ts";
import { type CommandOutcome, plain } from "../../../src/report/outcome.ts";
import { driftMessage } from "../../../src/report/webhook.ts";
import { driftOfScene, type OutsideSceneName } from "../../support/outside-scenes.ts";
import { isWebhookMessage } from "../../support/webhook-message.ts";

interface Told {
  readonly says: string;
  readonly level: AnnotationLevel;
  readonly severity: "critical" | "error" | "warning";
  readonly gains: 0 | 1;
  readonly email?: string;
}

const olga = { email: "olga@acme.example" };
const zed = { email: "zed@acme.example" };
const manual = "A person has to correct this.";

const told: Readonly<Record<Exclude<OutsideSceneName, "nothing changed">, Told>> = {
  escalation: {
    says: "olga@acme.example gained ACCOUNT_ADMIN on their key in Pricing, outside roster. apply changes the roles: -ACCOUNT_ADMIN, keeps DEVELOPER, TEAM_ROLE.",
    level: "error",
    severity: "critical",
    gains: 1,
    ...olga,
  },
  loss: {
    says: "olga@acme.example lost DEVELOPER on their key in Pricing, outside roster. apply changes the roles: +DEVELOPER, keeps TEAM_ROLE.",
    level: "warning",
    severity: "warning",
    gains: 0,
    ...olga,
  },
  "removed member": {
    says: `olga@acme.example was removed from Pricing and lost DEVELOPER, TEAM_ROLE, outside roster. ${manual}`,
    level: "error",
    severity: "error",
    gains: 0,
    ...olga,
  },
  "added member": {
    says: `zed@acme.example was added to Pricing and gained AUDITOR, outside roster. ${manual}`,
    level: "error",
    severity: "error",
    gains: 0,
    ...zed,
  },
  "added administrator": {
    says: `zed@acme.example was added to Pricing and gained ACCOUNT_ADMIN, outside roster. ${manual}`,
    level: "error",
    severity: "critical",
    gains: 1,
    ...zed,
  },
  "escalation of a key that the roster leaves alone": {
    says: `pat@acme.example gained ACCOUNT_ADMIN on their own key, outside roster. ${manual}`,
    level: "error",
    severity: "critical",
    gains: 1,
    email: "pat@acme.example",
  },
  "removed user": {
    says: `olga@acme.example was removed from the service and lost DEVELOPER, TEAM_ROLE, outside roster. ${manual}`,
    level: "error",
    severity: "error",
    gains: 0,
    ...olga,
  },
  "renamed team": {
    says: "The team Pricing was renamed to Rates, outside roster. apply does not change it.",
    level: "notice",
    severity: "error",
    gains: 0,
  },
  "changed address": {
    says: `The address of olga@acme.example was changed to olga.b@acme.example, outside roster. ${manual}`,
    level: "error",
    severity: "error",
    gains: 0,
    ...olga,
  },
  "removed key": {
    says: `The key k-gone with DEVELOPER, TEAM_ROLE was removed, outside roster. ${manual}`,
    level: "error",
    severity: "error",
    gains: 0,
  },
};

function escaped(text: string): string {
  return text.replace(/[.()+]/gu, "\\$&");
}

function outcomeOf(name: OutsideSceneName): CommandOutcome {
  const { plan, drift } = driftOfScene(name);
  const exitCode = told[name as keyof typeof told]?.severity === "warning" || name === "escalation" ? 2 : 9;
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

const scenes = Object.entries(told) as readonly (readonly [keyof typeof told, Told])[];

test.each(scenes)("%s: every format that shows drift says what happened", async (name, { says, level, gains }) => {
  const oneLine = (text: string) =>
    text
      .replace(/`|\\/gu, "")
      .replace(/\s+/gu, " ")
      .replace(/ · roster\.yaml:\d+:\d+(?: \(\+\d+\))?/gu, "");
  for (const format of ["markdown", "github", "gitlab", "sarif"] as const) {
    expect(oneLine(await rendered(name, format)), format).toContain(says);
  }
  // In the text the place in the roster stands between the two sentences.
  const [happened = "", next = ""] = says.split(/(?<=outside roster\.) /u);
  expect(oneLine(await rendered(name, "text"))).toMatch(
    new RegExp(`${escaped(happened)} (?:roster\\.yaml:\\d+:\\d+(?: \\(\\+\\d+\\))? )?${escaped(next)}`, "u"),
  );
  const levels = { sarif: { error: "error", warning: "warning", notice: "note" }[level] };
  const sarif = JSON.parse(await rendered(name, "sarif")) as {
    readonly runs: readonly {
      readonly results: readonly { readonly level: string; readonly message: { text: string } }[];
    }[];
  };
  const result = sarif.runs[0]?.results.find(({ message }) => message.text.includes(says));
  expect(result?.level).toBe(levels.sarif);
  expect(await rendered(name, "github")).toContain(`\n::${level} `);
  expect(await rendered(name, "prometheus")).toContain(`\nroster_drift_privileged_gains{command="drift"} ${gains}\n`);
  const json = JSON.parse(await rendered(name, "json")) as { readonly drift: { readonly privileged_gains: number } };
  expect(json.drift.privileged_gains).toBe(gains);
  const { outputs } = await (await formats.github.load())(outcomeOf(name), { paint: plain });
  expect(outputs?.get("privileged_gains")).toBe(String(gains));
});

test.each(scenes)("%s: the webhook names who, what and how bad it is", (name, { says, severity, gains, email }) => {
  const message = JSON.parse(
    driftMessage(outcomeOf(name), { delivery: "d-1", at: "2026-11-20T12:00:00.000Z", rosterVersion: "0.1.0" }),
  ) as Readonly<Record<string, unknown>>;
  expect(isWebhookMessage(message), JSON.stringify(isWebhookMessage.errors)).toBe(true);
  expect([message["severity"], message["privileged_gains"]]).toEqual([severity, gains]);
  // A notice counts for nothing, so that nobody is alarmed by it.
  if (name === "renamed team") return;
  expect(String(message["text"]).split("\n")[1]).toBe(`${gains === 1 ? "Privileged gain: " : ""}${says}`);
  const [item] = message["items"] as readonly {
    readonly privileged: boolean;
    readonly outside: readonly { readonly person?: { readonly email: string } }[];
  }[];
  expect([item?.outside[0]?.person?.email, item?.privileged]).toEqual([email, gains === 1]);
});

test("a privileged gain comes first, whatever else differs", async () => {
  const [first] = (await rendered("escalation", "text")).split("\n").filter((line) => line.startsWith("  !"));
  expect(first).toContain("  ! privileged: olga@acme.example gained ACCOUNT_ADMIN");
  expect((await rendered("escalation", "markdown")).split("\n")[1]).toBe(
    "## Drift at `https://simulated.example`: 1 privileged gain among 1 change",
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
  const { text } = JSON.parse(
    driftMessage(outcome, { delivery: "d-1", at: "2026-11-20T12:00:00.000Z", rosterVersion: "0.1.0" }),
  ) as { readonly text: string };
  expect(text.split("\n")[1]).toContain("their key in &lt;!channel&gt; [pay] (https://evil.example)");
  expect(text.split("\n").length).toBe(2);
});

test("drift can be shown in these formats", () => {
  expect(formatsOf("drift")).toEqual([
    ...["text", "json", "ndjson", "github", "gitlab", "gitlab-terraform", "sarif", "prometheus", "markdown", "html"],
  ]);
});
