import { resolve } from "node:path";
import { action } from "../../codec/plan.ts";
import { formatCount, truncateList } from "../../codes/message.ts";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { otherPlan } from "../../library/apply.ts";
import { invalidSetting } from "../../library/error.ts";
import { publish } from "../../model/declare.ts";
import type { Plan } from "../../model/plan.ts";
import type { Host } from "../host.ts";
import { largestPlan } from "../plan-file/plan-file.ts";
import { readSavedPlan } from "../plan-file/read-plan-file.ts";

export interface ExpectedPlan {
  readonly id: string;
  readonly plan?: Plan;
}

export async function readExpectedPlan(said: string | undefined, { cwd }: Host): Promise<ExpectedPlan | undefined> {
  if (said === undefined) return undefined;
  if (/^[0-9a-f]{16}$/u.test(said)) return { id: said };
  const bytes = await readRegularFile(resolve(cwd, said), largestPlan).catch((error: unknown) => {
    throw invalidSetting(
      "bad-flag-value",
      `--expect-plan ${said} is neither the ID of a plan nor a saved plan: ${whyUnread(error)}.`,
      "Write the ID that the plan shows, such as 3f2a90c1d4e5b678, or the file of `roster plan --format json`.",
    );
  });
  const { plan } = await readSavedPlan({ path: said, text: bytes.toString("utf8") });
  return { id: plan.id, plan };
}

export function checkExpected(plan: Plan, expected: ExpectedPlan | undefined): void {
  if (expected !== undefined && plan.id !== expected.id)
    throw otherPlan(plan, expected.id, differenceText(plan, expected.plan));
}

const maxNamed = 5;

function differenceText(plan: Plan, approved: Plan | undefined): string {
  if (approved === undefined) return "";
  const [now, then] = [bodies(plan), bodies(approved)];
  const added = [...now.keys()].filter((id) => !then.has(id));
  const gone = [...then.keys()].filter((id) => !now.has(id));
  const changed = [...now].filter(([id, body]) => then.has(id) && then.get(id) !== body).map(([id]) => id);
  const parts = [
    ...named(added, "is new", "are new"),
    ...named(gone, "is gone", "are gone"),
    ...named(changed, "differs", "differ"),
  ];
  return parts.length === 0 ? "" : `: ${parts.join("; ")}`;
}

function named(ids: readonly string[], one: string, many: string): readonly string[] {
  if (ids.length === 0) return [];
  return [`${formatCount(ids.length, "action")} ${ids.length === 1 ? one : many} (${truncateList(ids, maxNamed)})`];
}

/** What each action does, as it is published; whatever it rests on, waits for, and where the YAML asks for it. */
function bodies({ actions }: Plan): ReadonlyMap<string, string> {
  return new Map(actions.map((one) => [one.id, JSON.stringify(publish(action, one), withoutReasons)]));
}

const reasons: readonly string[] = ["because", "rests_on", "depends_on", "request", "by", "at", "place"];

function withoutReasons(name: string, value: unknown): unknown {
  return reasons.includes(name) ? undefined : value;
}
