import { canonicalJson } from "../../codec/document.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { sha256 } from "../../library/system.ts";
import type { PlanFile } from "../../model/plan.ts";
import type { GuardSettings, Policy } from "../../model/policy.ts";

/** The same for the same guards, wherever their lines are. */
export function guardsDigest({ guards, singleLabelDomains }: Pick<Policy, "guards" | "singleLabelDomains">): string {
  const { setAt: _, maxHolders, ...others }: GuardSettings = guards;
  const said = {
    ...others,
    maxHolders: Object.fromEntries(maxHolders),
    singleLabelDomains: singleLabelDomains === true,
  };
  return sha256(canonicalJson(said)).slice(0, 16);
}

/**
 * Guards check a plan when it is made. Where this run has others, nobody knows whether they would let it pass: it is refused, and
 * a new plan says so.
 */
export function guardsChanged(file: PlanFile, policy: Policy): RosterError | undefined {
  if (file.policy.guards === guardsDigest(policy)) return undefined;
  const message = "the plan was made with other guards than the settings of this run have";
  const hint = "nothing was sent; use the settings of the plan here too, or plan again with `roster plan --out FILE`";
  return { reason: "refused", problem: { code: "guards-changed", message, hint } };
}

export function ofAnotherService({ plan }: PlanFile, address: string): RosterError | undefined {
  if (plan.service === address) return undefined;
  return invalidSetting(
    "plan-of-another-service",
    `The plan is for the service ${plan.service}, but this run uses ${address}.`,
    "Set ROSTER_ENDPOINT to the service of the plan, or plan again.",
  );
}
