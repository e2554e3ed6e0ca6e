import type { GuardRefusal, GuardViolation, Plan } from "../../model/plan.ts";
import { type Allowance, formatAllowance } from "../../model/policy.ts";
import type { FindingDraft } from "../draft.ts";
import type { PlanDraft } from "../draft-plan.ts";
import type { PlanContext } from "../question.ts";
import { joinList } from "../subjects.ts";
import type { PruneTarget } from "../withhold.ts";
import type { Allowances } from "./allowances.ts";
import { truncateList } from "./bounded.ts";
import { pruneTargets, type RaisedHold } from "./spoken-holds.ts";

interface HoldReportInput {
  readonly allowances: Allowances;
  readonly pruned: readonly PruneTarget<RaisedHold>[];
  readonly drafted: PlanDraft;
  readonly context: PlanContext;
}

/** The blocking finding of one hold: what it has against whom, what waits with it, and how to let it pass. */
export function reportHold(hold: RaisedHold, input: HoldReportInput): FindingDraft {
  const { guard, withholds: _, message, ...rest } = hold;
  const word = formatAllowance(input.allowances.word(guard));
  const parts = [message, ...formatReserved(hold, input), ...formatDependents(hold, input)];
  const text = `${parts.join(" ")} To let this very plan pass, say \`--allow ${word}\`.`;
  // Whatever is held was selected.
  return { code: guard, message: text, ...rest, allow: [word], concerns: [] };
}

/** People who are not created meanwhile, so that a team that is held can still be founded. */
function formatReserved(hold: RaisedHold, { drafted, context }: HoldReportInput): readonly string[] {
  const teams = hold.withholds.flatMap((part) => (part.of === "team" ? [part.team] : []));
  const kept = new Set(teams.flatMap((team) => drafted.founders.reservedFor.get(team) ?? []));
  if (kept.size === 0) return [];
  const emails = [...kept].map((address) => context.roster.users.get(address)?.email ?? address);
  return [
    `Until then ${truncateList(emails)} ${kept.size === 1 ? "is" : "are"} not created, so that it can still be founded.`,
  ];
}

/** Actions that depend on what is held. */
function formatDependents(hold: RaisedHold, { pruned: withheld }: HoldReportInput): readonly string[] {
  const meant = new Set(pruneTargets(hold).map(targetName));
  const others = withheld.filter((part) => part.cause === hold && !meant.has(targetName(part))).map(targetName);
  return others.length === 0 ? [] : [`What depends on it waits as well: ${truncateList(others)}.`];
}

function targetName({ action, address }: Omit<PruneTarget<unknown>, "cause">): string {
  return address === undefined ? action : `${address} in ${action}`;
}

/** An allowance that nothing was in need of. */
export function reportIdleAllowance(allowance: Allowance): FindingDraft {
  const written = formatAllowance(allowance);
  return {
    code: "idle-allowance",
    subject: `allowance ${written}`,
    message: `The guard ${allowance.guard} has nothing against this plan, so that ${written} allows nothing. Take it away, so that it is not mistaken for a word about a later plan.`,
    because: [],
    concerns: [],
  };
}

/** The refusal of a plan by all the guards that have something against it. */
export function guardRefusal(plan: Plan, stops: readonly GuardViolation[]): GuardRefusal {
  const words = [...new Set(stops.map(({ allow }) => `--allow ${formatAllowance(allow)}`))].join(" ");
  return {
    code: "guard",
    message: `The plan is refused by ${joinList([...new Set(stops.map(({ guard }) => guard))])}, and nothing of it may be done`,
    hint: `Correct the roster; or, once you have read the plan and want just this, say \`${words}\`, or the same in ROSTER_ALLOW.`,
    plan,
    stops,
  };
}
