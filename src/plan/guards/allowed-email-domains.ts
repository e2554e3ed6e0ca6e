import type { Action } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import { domainOf } from "../../model/similarity.ts";
import { type Basis, userSubject } from "../../model/subject.ts";
import { joinList } from "../finding-draft.ts";
import {
  basesAbout,
  distinctBases,
  type GuardInput,
  type Hold,
  type HoldGuard,
  type HoldTarget,
  settingBasis,
} from "./guard-types.ts";

/**
 * Protects from inviting strangers, be it by a slip of the hand in a domain: nobody of another domain is created or added to
 * a team. Off until domains are set; both spellings of an international domain are one, and a domain does not stand for
 * those below it. Settled by the settings or the roster; allowed with `--allow allowed-email-domains@PLANID`.
 */
export const allowedEmailDomains: HoldGuard = { name: "allowed-email-domains", check };

function check({ context, actions }: GuardInput): readonly Hold[] {
  const { guards } = context.policy;
  const { allowedEmailDomains: domains } = guards;
  if (domains === undefined) return [];
  const setting = settingBasis("guards.allowed-email-domains", joinList(domains), guards);
  const isStrange = (address: FoldedAddress) => !domains.includes(domainOf(address));
  const invited = new Map<FoldedAddress, Invited[]>();
  const hold = (address: FoldedAddress, action: Action, withheld: HoldTarget) => {
    if (!isStrange(address)) return;
    invited.set(address, [...(invited.get(address) ?? []), { withheld, facts: basesAbout(action, address) }]);
  };
  for (const action of actions) {
    if (action.kind === "create-user") hold(action.address, action, { of: "person", address: action.address });
    if (action.kind !== "add-members") continue;
    for (const { address } of action.members) hold(address, action, { of: "part", action: action.id, address });
  }
  return [...invited].map(([address, parts]) => ({
    ...domainHold(address, parts, domains, context.roster),
    restsOn: distinctBases([...setting, ...parts.flatMap(({ facts }) => facts)]),
  }));
}

/** One action by which somebody would be invited. */
interface Invited {
  readonly withheld: HoldTarget;
  readonly facts: readonly Basis[];
}

function domainHold(
  address: FoldedAddress,
  parts: readonly Invited[],
  domains: readonly string[],
  { users }: GuardInput["context"]["roster"],
): Hold {
  const withholds = parts.map(({ withheld }) => withheld);
  const user = users.get(address);
  const what = withholds.some(({ of }) => of === "person")
    ? "is not created, nor added to any team"
    : "is added to no team";
  const message =
    `${user?.email ?? address} ${what}: ${domainOf(address)} is not among the domains that the settings allow, ${joinList(domains)}. ` +
    "Correct the address, or add its domain to `guards.allowed-email-domains`.";
  return { subject: userSubject(address), message, because: user?.because.slice(0, 1) ?? [], withholds };
}
