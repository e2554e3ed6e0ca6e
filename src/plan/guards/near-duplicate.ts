import type { CreateUser } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import { foldPersonName, isWithinOneEdit, localPartOf } from "../../model/likeness.ts";
import { type ObservedUser, standing } from "../../model/snapshot.ts";
import type { Question } from "../question.ts";
import { listed, seen, userSubject, yamlScalar } from "../subjects.ts";
import type { GuardGround, Hold, HoldGuard } from "./guard.ts";

/**
 * Protects from a second account for somebody who is there: nobody is created while the service shows a person of the same
 * name, with the same local part or one edit apart, whom the roster does not name or names as a leaver. Names are compared
 * without case, marks and runs of white space. On unless set to `off`; settled by `distinctFrom`, allowed with
 * `--allow near-duplicate@PLANID`.
 */
export const nearDuplicate: HoldGuard = { name: "near-duplicate", judge };

function judge({ question, actions }: GuardGround): readonly Hold[] {
  const created = actions.filter((action) => action.kind === "create-user");
  if (question.policy.guards.nearDuplicate === "off" || created.length === 0) return [];
  const others = othersByName(question);
  return created.flatMap((creation) => {
    const { firstName, lastName } = creation.user;
    const namesakes = others.get(foldPersonName(firstName, lastName) ?? "") ?? [];
    const near = namesakes.filter((other) => isNear(creation.address, other, question));
    return near.length === 0 ? [] : [tell(creation, near, question)];
  });
}

/** Whoever is there and is not among the users of the roster, under any address that it gives for them. */
function othersByName({ roster, snapshot }: Question): ReadonlyMap<string, readonly ObservedUser[]> {
  const former = [...roster.users.values()].flatMap(({ previously }) => previously.map(({ value }) => value));
  const named = new Set([...roster.users.keys(), ...former]);
  const others = new Map<string, ObservedUser[]>();
  for (const user of snapshot.users) {
    const name = foldPersonName(user.firstName, user.lastName);
    if (name === undefined || named.has(user.address) || standing(user.status) === "deleted") continue;
    const namesakes = others.get(name);
    if (namesakes === undefined) others.set(name, [user]);
    else namesakes.push(user);
  }
  return others;
}

function isNear(address: FoldedAddress, other: ObservedUser, { roster }: Question): boolean {
  const apart = roster.users.get(address)?.distinctFrom ?? [];
  if (apart.some(({ value }) => value === other.address)) return false;
  return isWithinOneEdit(localPartOf(address), localPartOf(other.address));
}

function tell({ address, user, because }: CreateUser, near: readonly ObservedUser[], { roster }: Question): Hold {
  const emails = near.map(({ email }) => email).sort();
  const shown = [...near].sort((a, b) => (a.address < b.address ? -1 : 1));
  const who = shown.map(({ email, address: other }) => (roster.leavers.has(other) ? `${email}, a leaver` : email));
  const whom = near.some((one) => !roster.leavers.has(one.address)) ? ", whom the roster does not name" : "";
  const message =
    `${user.email} (${user.firstName} ${user.lastName}) is not created: the service shows somebody of this name with a near address, ` +
    `${listed(who)}${whom}. If that is the same person, write the address that is there as the email, or the former one ` +
    `under \`previously\`; if it is somebody else, say so with \`distinctFrom: [${emails.join(", ")}]\`.`;
  const lines = [
    "users:",
    `  - email: ${yamlScalar(user.email)}`,
    `    distinctFrom: [${emails.map(yamlScalar).join(", ")}]`,
  ];
  return {
    subject: userSubject(address),
    message,
    because: because.slice(0, 1),
    restsOn: shown.map((one) => seen(userSubject(one.address), "present", one.by)),
    suggestedYaml: `${lines.join("\n")}\n`,
    withholds: [{ of: "person", address }],
  };
}
