import type { FindingDraft } from "./draft.ts";
import type { DesiredRolesResult } from "./key-wishes.ts";
import { resolveOwnKey } from "./own-key-wishes.ts";
import type { UserIdentities, UserIdentity } from "./person.ts";
import type { PlanContext } from "./question.ts";
import { currentRoles } from "./roles-before.ts";
import type { MembershipSlot } from "./seats.ts";
import type { KnownKey } from "./shown-keys.ts";
import { keySubject, recordedBasis, yamlScalar } from "./subjects.ts";

interface EmptiedKeysInput {
  readonly people: UserIdentities;
  readonly seats: readonly MembershipSlot[];
  readonly wished: readonly DesiredRolesResult[];
  readonly context: PlanContext;
}

/** A key that is its holder's by the roster, and of whose roles the roster may say nothing. */
interface UnaskedKey extends Pick<FindingDraft, "because" | "concerns"> {
  readonly key: KnownKey;
  /** Whose key it is, in words. */
  readonly whose: string;
  /** What to write in the roster, in words and as YAML. */
  readonly write: string;
  readonly yaml: string;
}

/** Keys that an earlier run emptied, such as those of a leaver who came back, and that nothing in the roster fills again. */
export function findEmptiedKeys({ people, seats, wished, context }: EmptiedKeysInput): readonly FindingDraft[] {
  const asked = new Set(wished.flatMap((wish) => (wish?.is === "known" ? [wish.key.value] : [])));
  const keys = [
    ...[...people.values()].flatMap((person) => unaskedOwnKey(person, context)),
    ...seats.flatMap(unaskedTeamKey),
  ];
  const unasked = new Map(keys.map((one) => [one.key.value, one]));
  return [...unasked.values()]
    .filter(({ key }) => !asked.has(key.value))
    .flatMap((one) => emptiedKeyFinding(one, context));
}

function unaskedOwnKey(person: UserIdentity, context: PlanContext): readonly UnaskedKey[] {
  if (person.is !== "present") return [];
  const { user } = person;
  const key = resolveOwnKey(person, context);
  if (key === undefined) return [];
  const yaml = `users:\n  - email: ${yamlScalar(user.email)}\n    ownKeyRoles: [ROLE]\n`;
  const about = { because: user.because.slice(0, 1), concerns: [{ address: user.address }] };
  return [{ key, whose: `the own key of ${user.email}`, write: "`ownKeyRoles` of the user", yaml, ...about }];
}

function unaskedTeamKey({ team, member, holding }: MembershipSlot): readonly UnaskedKey[] {
  if (holding.is !== "member" || holding.key === undefined) return [];
  const { email, address } = holding.person.user;
  const yaml = `teams:\n  - name: ${yamlScalar(team.name)}\n    members:\n      - { user: ${yamlScalar(email)}, roles: [ROLE] }\n`;
  const about = { because: member.because, concerns: [{ address, team: team.key }] };
  const write = "`roles` of the member or of the team";
  return [{ key: holding.key, whose: `the key of ${email} in team ${team.name}`, write, yaml, ...about }];
}

function emptiedKeyFinding(
  { key, whose, write, yaml, because, concerns }: UnaskedKey,
  { state }: PlanContext,
): readonly FindingDraft[] {
  const record = state.keys.get(key.value);
  const before = currentRoles(key, state);
  if (record === undefined || record.put.length > 0 || before.known === "unknown" || before.value.length > 0) return [];
  const subject = keySubject(key.value);
  const message =
    `${key.value}, ${whose}, has no roles: an earlier run took them all away (${record.at}), and the roster does not say which roles ` +
    `it has now, so that it stays without any. Write ${write}: the roles that it is to have, or \`[]\` where none are meant.`;
  const restsOn = [recordedBasis(`roles of ${subject}`, "no roles", record.at)];
  return [{ code: "emptied-key", subject, message, because, restsOn, suggestedYaml: yaml, concerns }];
}
