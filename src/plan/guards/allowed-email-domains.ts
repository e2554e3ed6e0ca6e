import type { Action } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { Basis } from "../../model/fact.ts";
import { domainOf } from "../../model/likeness.ts";
import { listed, userSubject } from "../subjects.ts";
import type { GuardGround, Hold, HoldGuard, Withheld } from "./guard.ts";
import { distinctFacts, factsAbout, settingFact } from "./hold-facts.ts";

/**
 * Protects from inviting strangers, be it by a slip of the hand in a domain: nobody of another domain is created or added to
 * a team. Off until domains are set; both spellings of an international domain are one, and a domain does not stand for
 * those below it. Settled by the settings or the roster; allowed with `--allow allowed-email-domains@PLANID`.
 */
export const allowedEmailDomains: HoldGuard = { name: "allowed-email-domains", judge };

function judge({ question, actions }: GuardGround): readonly Hold[] {
  const { guards } = question.policy;
  const { allowedEmailDomains: domains } = guards;
  if (domains === undefined) return [];
  const setting = settingFact("guards.allowed-email-domains", listed(domains), guards);
  const isStrange = (address: FoldedAddress) => !domains.includes(domainOf(address));
  const invited = new Map<FoldedAddress, Invited[]>();
  const hold = (address: FoldedAddress, action: Action, withheld: Withheld) => {
    if (!isStrange(address)) return;
    invited.set(address, [...(invited.get(address) ?? []), { withheld, facts: factsAbout(action, address) }]);
  };
  for (const action of actions) {
    if (action.kind === "create-user") hold(action.address, action, { of: "person", address: action.address });
    if (action.kind !== "add-members") continue;
    for (const { address } of action.members) hold(address, action, { of: "part", action: action.id, address });
  }
  return [...invited].map(([address, parts]) => ({
    ...tell(address, parts, domains, question.roster),
    restsOn: distinctFacts([...setting, ...parts.flatMap(({ facts }) => facts)]),
  }));
}

/** One action by which somebody would be invited. */
interface Invited {
  readonly withheld: Withheld;
  readonly facts: readonly Basis[];
}

function tell(
  address: FoldedAddress,
  parts: readonly Invited[],
  domains: readonly string[],
  { users }: GuardGround["question"]["roster"],
): Hold {
  const withholds = parts.map(({ withheld }) => withheld);
  const user = users.get(address);
  const what = withholds.some(({ of }) => of === "person")
    ? "is not created, nor added to any team"
    : "is added to no team";
  const message =
    `${user?.email ?? address} ${what}: ${domainOf(address)} is not among the domains that the settings allow, ${listed(domains)}. ` +
    "Correct the address, or add its domain to `guards.allowed-email-domains`.";
  return { subject: userSubject(address), message, because: user?.because.slice(0, 1) ?? [], withholds };
}
