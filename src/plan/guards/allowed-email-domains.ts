import type { Action } from "../../model/action.ts";
import { domainOf, type EmailKey } from "../../model/address.ts";
import { multimap } from "../../model/role-set.ts";
import { userSubject } from "../../model/subject.ts";
import { joinList } from "../finding-draft.ts";
import {
  additionFact,
  callFacts,
  type GuardInput,
  type Hold,
  type HoldGuard,
  type HoldTarget,
  holdOn,
  settingBasis,
  type WithheldEffect,
  withheldEffect,
} from "./guard-types.ts";

/**
 * Protects from inviting strangers, be it by a slip of the hand in a domain: nobody of another domain is created or added to
 * a team. Off until domains are set; both spellings of an international domain are one, and a domain does not stand for
 * those below it. Settled by the settings or the roster, or allowed for one person.
 */
export const allowedEmailDomains: HoldGuard = { name: "allowed-email-domains", check };

function check({ context, actions }: GuardInput): readonly Hold[] {
  const { guards } = context.policy;
  const { allowedEmailDomains: domains } = guards;
  if (domains === undefined) return [];
  const setting = settingBasis("guards.allowed-email-domains", joinList(domains), guards);
  const effect = (address: EmailKey, action: Action, withheld: HoldTarget, facts: readonly string[]) =>
    domains.includes(domainOf(address)) ? [] : [[address, withheldEffect(action, address, withheld, facts)] as const];
  const { state } = context;
  const effects = actions.flatMap((action) => {
    if (action.kind === "create-user")
      return effect(action.address, action, { of: "person", address: action.address }, callFacts(action, state));
    if (action.kind !== "add-members") return [];
    return action.members.flatMap(({ address }) => {
      const fact = additionFact(address, action.team.team, state);
      return effect(address, action, { of: "part", action: action.id, address }, [fact]);
    });
  });
  return [...multimap(effects)].map(([address, effects]) => {
    const user = context.roster.users.get(address);
    const message = domainMessage(user?.email ?? address, address, effects, domains);
    return { ...holdOn(userSubject(address), effects, setting, message), because: user?.because.slice(0, 1) ?? [] };
  });
}

function domainMessage(
  email: string,
  address: EmailKey,
  effects: readonly WithheldEffect[],
  domains: readonly string[],
): string {
  const isCreated = effects.some(({ withheld }) => withheld.of === "person");
  const what = isCreated ? "is not created and not added to teams" : "is not added to teams";
  return (
    `${email} ${what}: the settings do not allow the domain ${domainOf(address)}. They allow ${joinList(domains)}. ` +
    "Correct the address, or add its domain to `guards.allowed-email-domains` in the settings (in CI: outside the checkout)."
  );
}
