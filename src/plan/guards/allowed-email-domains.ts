import { joinList, say } from "../../codes/message.ts";
import { domainOf } from "../../model/address.ts";
import { multimap } from "../../model/collections.ts";
import { userSubject } from "../../model/subject.ts";
import { callFacts } from "./call-facts.ts";
import type { GuardInput, Hold } from "./guard-types.ts";
import { holdOn, invitedBy, settingBasis, withheldFrom } from "./hold-on.ts";

/**
 * Protects from inviting strangers, be it by a slip of the hand in a domain: nobody of another domain is created or added to
 * a team. Off until domains are set; both spellings of an international domain are one, and a domain does not stand for
 * those below it. Can be allowed for one person.
 */
export function allowedEmailDomains({ context, actions }: GuardInput): readonly Hold[] {
  const { guards } = context.policy;
  const { allowedEmailDomains: domains } = guards;
  if (domains === undefined) return [];
  const strangers = actions.flatMap((action) =>
    invitedBy(action)
      .filter((address) => !domains.includes(domainOf(address)))
      .map((address) => [address, withheldFrom(address, action, callFacts(action, context, address))] as const),
  );
  const setting = settingBasis("guards.allowed-email-domains", joinList(domains), guards);
  return [...multimap(strangers)].map(([address, withheld]) => {
    const user = context.roster.users.get(address);
    const isCreated = withheld.some(({ target }) => target.of === "person");
    const parts = { email: user?.email ?? address, domain: domainOf(address), allowed: domains };
    const texts = say(isCreated ? "allowed-email-domains/created" : "allowed-email-domains/added", parts);
    return { ...holdOn(userSubject(address), withheld, setting, texts), because: user?.because.slice(0, 1) ?? [] };
  });
}
