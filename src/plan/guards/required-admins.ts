import { messageOf } from "../../codes/message.ts";
import { holdsAny, rolesByUser } from "../roles-by-key.ts";
import { roleLossFacts } from "./call-facts.ts";
import type { GuardInput, Stop } from "./guard-types.ts";

/**
 * Protects the administrators that the settings name: no plan takes the last privileged role from one of them, nor may it
 * where the service does not show what their keys carry. Off until set.
 */
export function requiredAdmins(input: GuardInput): Stop | undefined {
  const { guards, privilegedRoles } = input.context.policy;
  if (guards.requiredAdmins.length === 0) return undefined;
  const held = rolesByUser(input.context, input);
  const lose = guards.requiredAdmins.filter((address) => {
    const { before, after } = held.get(address) ?? { before: [], after: [] };
    return holdsAny(before, privilegedRoles) !== "no" && holdsAny(after, privilegedRoles) === "no";
  });
  if (lose.length === 0) return undefined;
  const message = messageOf("required-admins", { lose });
  return { message, facts: roleLossFacts(input, lose) };
}
