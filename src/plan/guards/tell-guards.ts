import { type Allowance, formatAllowance } from "../../model/guard.ts";
import type { GuardRefusal, GuardViolation, Plan } from "../../model/plan.ts";
import type { Draft } from "../draft.ts";
import type { DraftedPlan } from "../draft-plan.ts";
import type { Question } from "../question.ts";
import { listed } from "../subjects.ts";
import type { Target } from "../withhold.ts";
import type { Allowances } from "./allowances.ts";
import { bounded } from "./bounded.ts";
import { type SpokenHold, targetsOf } from "./spoken-holds.ts";

interface Telling {
  readonly allowances: Allowances;
  readonly withheld: readonly Target<SpokenHold>[];
  readonly drafted: DraftedPlan;
  readonly question: Question;
}

/** The blocking finding of one hold: what it has against whom, what waits with it, and how to let it pass. */
export function tellHold(hold: SpokenHold, telling: Telling): Draft {
  const { guard, withholds: _, message, ...rest } = hold;
  const word = formatAllowance(telling.allowances.word(guard));
  const parts = [message, ...keptWith(hold, telling), ...withheldWith(hold, telling)];
  const text = `${parts.join(" ")} To let this very plan pass, say \`--allow ${word}\`.`;
  // Whatever is held was selected.
  return { code: guard, message: text, ...rest, allow: [word], concerns: [] };
}

/** People who are not created meanwhile, so that a team that is held can still be founded. */
function keptWith(hold: SpokenHold, { drafted, question }: Telling): readonly string[] {
  const teams = hold.withholds.flatMap((part) => (part.of === "team" ? [part.team] : []));
  const kept = new Set(teams.flatMap((team) => drafted.founders.keptFor.get(team) ?? []));
  if (kept.size === 0) return [];
  const emails = [...kept].map((address) => question.roster.users.get(address)?.email ?? address);
  return [
    `Until then ${bounded(emails)} ${kept.size === 1 ? "is" : "are"} not created, so that it can still be founded.`,
  ];
}

/** Actions that depend on what is held. */
function withheldWith(hold: SpokenHold, { withheld }: Telling): readonly string[] {
  const meant = new Set(targetsOf(hold).map(partName));
  const others = withheld.filter((part) => part.cause === hold && !meant.has(partName(part))).map(partName);
  return others.length === 0 ? [] : [`What depends on it waits as well: ${bounded(others)}.`];
}

function partName({ action, address }: Omit<Target<unknown>, "cause">): string {
  return address === undefined ? action : `${address} in ${action}`;
}

/** An allowance that nothing was in need of. */
export function tellIdle(allowance: Allowance): Draft {
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
export function refusalOf(plan: Plan, stops: readonly GuardViolation[]): GuardRefusal {
  const words = [...new Set(stops.map(({ allow }) => `--allow ${formatAllowance(allow)}`))].join(" ");
  return {
    code: "guard",
    message: `The plan is refused by ${listed([...new Set(stops.map(({ guard }) => guard))])}, and nothing of it may be done`,
    hint: `Correct the roster; or, once you have read the plan and want just this, say \`${words}\`, or the same in ROSTER_ALLOW.`,
    plan,
    stops,
  };
}
