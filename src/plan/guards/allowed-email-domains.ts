import type { FoldedAddress } from "../../model/address.ts";
import { domainOf } from "../../model/likeness.ts";
import { listed, userSubject } from "../subjects.ts";
import type { GuardGround, Hold, HoldGuard, Withheld } from "./guard.ts";

/**
 * Protects from inviting strangers, be it by a slip of the hand in a domain: nobody of another domain is created or added to
 * a team. Off until domains are set; both spellings of an international domain are one, and a domain does not stand for
 * those below it. Settled by the settings or the roster; allowed with `--allow allowed-email-domains@PLANID`.
 */
export const allowedEmailDomains: HoldGuard = { name: "allowed-email-domains", judge };

function judge({ question, actions }: GuardGround): readonly Hold[] {
  const { allowedEmailDomains: domains } = question.policy.guards;
  if (domains === undefined) return [];
  const isStrange = (address: FoldedAddress) => !domains.includes(domainOf(address));
  const withheld = new Map<FoldedAddress, Withheld[]>();
  const hold = (address: FoldedAddress, part: Withheld) => {
    if (isStrange(address)) withheld.set(address, [...(withheld.get(address) ?? []), part]);
  };
  for (const action of actions) {
    if (action.kind === "create-user") hold(action.address, { of: "person", address: action.address });
    if (action.kind !== "add-members") continue;
    for (const { address } of action.members) hold(address, { of: "part", action: action.id, address });
  }
  return [...withheld].map(([address, withholds]) => tell(address, withholds, domains, question.roster));
}

function tell(
  address: FoldedAddress,
  withholds: readonly Withheld[],
  domains: readonly string[],
  { users }: GuardGround["question"]["roster"],
): Hold {
  const user = users.get(address);
  const what = withholds.some(({ of }) => of === "person")
    ? "is not created, nor added to any team"
    : "is added to no team";
  const message =
    `${user?.email ?? address} ${what}: ${domainOf(address)} is not among the domains that the settings allow, ${listed(domains)}. ` +
    "Correct the address, or add its domain to `guards.allowed-email-domains`.";
  return { subject: userSubject(address), message, because: user?.because.slice(0, 1) ?? [], withholds };
}
