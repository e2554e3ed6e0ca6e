import type { FoldedAddress } from "../model/address.ts";
import { recorded } from "../model/fact.ts";
import type { DesiredRoles } from "../model/roster.ts";
import { shownOwnKey } from "../model/team.ts";
import { ownKeyDeclaration, resolveDeclaredKey } from "./declared-keys.ts";
import type { FindingDraft } from "./draft.ts";
import type { DesiredRolesResult } from "./key-wishes.ts";
import { type PresentUser, type UserIdentity, userFinding } from "./person.ts";
import type { PlanContext } from "./question.ts";
import { acceptedReplacementBasis } from "./recreations.ts";
import { createUserId } from "./references.ts";
import { type KnownKey, keyWithPrefix, knownKey } from "./shown-keys.ts";
import { unknownBasis, userSubject, yamlScalar } from "./subjects.ts";

/** The roles that the roster wants on the key that was, or will be, created with a user. */
export function desiredOwnKeyRoles(
  person: UserIdentity,
  creations: ReadonlySet<FoldedAddress>,
  context: PlanContext,
): DesiredRolesResult {
  const wanted = person.user.ownKeyRoles;
  if (wanted === undefined || person.is === "withheld") return undefined;
  const { address } = person.user;
  const common = {
    roles: wanted.value,
    owner: person,
    because: [...wanted.because, ...person.user.because.slice(0, 1)],
    concern: { address },
  };
  if (person.is === "new") {
    if (!creations.has(address)) return undefined;
    const key = { of: "own-key", address, givenBy: createUserId(person.user) } as const;
    return { is: "given", id: `replace-roles:own:${address}`, key, ...common };
  }
  const key = resolveOwnKey(person, context);
  // A mistaken prefix is a finding of its own.
  if (key === undefined && person.user.key !== undefined) return undefined;
  if (key === undefined) return { is: "troubled", finding: unknownOwnKeyFinding(person, wanted) };
  return { is: "known", asks: "user", key, restsOn: acceptedReplacementBasis(person, userSubject(address)), ...common };
}

/**
 * The key that was created with a user, where it is known which one that is. What the roster says about a key that the
 * person is shown with counts more than the kinds of their keys; where the roster is mistaken, no other key is guessed.
 */
export function resolveOwnKey(person: PresentUser, context: PlanContext): KnownKey | undefined {
  const { observed, record } = person;
  const declaration = ownKeyDeclaration(person);
  const judged = declaration === undefined ? undefined : resolveDeclaredKey(declaration, context);
  if (judged?.is === "mistaken") return undefined;
  const named = judged?.key;
  if (named?.prefix.known === "observed") return named;
  const shown = shownOwnKey(observed);
  if (shown !== undefined) return knownKey(shown, observed);
  if (record?.key !== undefined && record.founded === undefined && record.createdAt !== undefined) {
    return keyWithPrefix(record.key, recorded(record.key, record.createdAt), observed);
  }
  return named;
}

function unknownOwnKeyFinding({ user, observed }: PresentUser, wanted: DesiredRoles): FindingDraft {
  const why =
    observed.keys === undefined
      ? "the service does not show the keys of users"
      : "none of the keys shown is clearly the one that was created with the user";
  const suggestedYaml = `users:\n  - email: ${yamlScalar(user.email)}\n    key: PREFIX\n`;
  const finding = userFinding(user, {
    code: "own-key-unknown",
    message:
      `The roster asks for roles on the own key of ${user.email}, but it is not known which key that is: ${why}. ` +
      "Look the prefix up in the service and write it into the roster.",
    restsOn: [unknownBasis(`own key of ${userSubject(user.address)}`, why)],
  });
  return { ...finding, because: [...wanted.because, ...user.because.slice(0, 1)], suggestedYaml };
}
