import type { GuardViolation } from "../../model/plan.ts";
import { type Allowance, formatAllowance, type GuardName, type Policy } from "../../model/policy.ts";

/** A person's words that guards let a plan pass, held against the plan that is asked for. */
export interface Allowances {
  /** Whether the guard was told to let this very plan pass. */
  lets(guard: GuardName): boolean;
  /** What to say so that it does. */
  word(guard: GuardName): Allowance;
  /** A stop that nobody has allowed; an allowance for another plan is told with it. */
  refuse(stop: { readonly guard: GuardName; readonly message: string }): GuardViolation;
  /** Allowances of guards that hold something, meant for other plans: whoever gave them has read another plan. */
  misfits(holding: ReadonlySet<GuardName>): readonly GuardViolation[];
  /** Allowances of guards that have nothing against the plan. */
  idle(heard: ReadonlySet<GuardName>): readonly Allowance[];
}

/** `plan` is the id of the plan before any guard, so that it is the same in each run of the same change. */
export function allowancesFor(plan: string, { allowed }: Policy): Allowances {
  const lets = (guard: GuardName) => allowed.some((one) => one.guard === guard && one.plan === plan);
  const word = (guard: GuardName): Allowance => ({ guard, plan });
  const others = (guard: GuardName) => allowed.filter((one) => one.guard === guard && one.plan !== plan);
  const misfit = (guard: GuardName) => {
    const written = others(guard).map(formatAllowance).join(" and ");
    return `The allowance ${written} does not fit: it is for another plan, and this one is ${plan}.`;
  };
  return {
    lets,
    word,
    refuse: ({ guard, message }) => ({
      guard,
      message: others(guard).length === 0 ? message : `${message} ${misfit(guard)}`,
      allow: word(guard),
    }),
    misfits: (holding) =>
      [...holding].flatMap((guard) =>
        others(guard).length === 0 ? [] : [{ guard, message: misfit(guard), allow: word(guard) }],
      ),
    idle: (heard) => allowed.filter(({ guard }) => !heard.has(guard)),
  };
}
