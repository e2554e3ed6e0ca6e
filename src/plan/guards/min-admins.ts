import { messageOf, truncateList } from "../../codes/message.ts";
import { holdsAny, rolesByUser } from "../roles-by-key.ts";
import { roleLossFacts } from "./call-facts.ts";
import type { GuardInput, Stop } from "./guard-types.ts";

/**
 * Protects from running out of administrators. Counted are the active people that the plan reads, which is everybody with
 * `--unmanaged` and in `drift`. Off until set.
 */
export function minAdmins(input: GuardInput): Stop | undefined {
  const { minAdmins: settings } = input.context.policy.guards;
  if (settings === "off") return undefined;
  const { role, count } = settings;
  const people = [...rolesByUser(input.context, input)].sort(([a], [b]) => (a < b ? -1 : 1));
  const keep = people.filter(([, { after }]) => holdsAny(after, [role]) === "yes").map(([address]) => address);
  const lose = people
    .filter(([, { before, after }]) => holdsAny(before, [role]) === "yes" && holdsAny(after, [role]) !== "yes")
    .map(([address]) => address);
  if (lose.length === 0 || keep.length >= count) return undefined;
  const left = keep.length === 0 ? "no user" : `only ${keep.length} (${truncateList(keep)})`;
  const message = messageOf("min-admins", { role, lose, left, least: count });
  return { message, facts: roleLossFacts(input, lose) };
}
