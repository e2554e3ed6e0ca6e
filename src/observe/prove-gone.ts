import type { FoldedAddress } from "../model/address.ts";
import { type Failure, type Result, success } from "../model/result.ts";
import { isDeleted, type ObservedAccount, type ObservedUser } from "../model/snapshot.ts";
import type { AccountService, UserQuery } from "../ports/account-service.ts";
import { assessUserList, proveAbsences } from "./absence.ts";
import { peopleReader } from "./read-users.ts";

/** A person who may be gone, and the identifier under which the service knew them. */
interface RecordedPerson extends UserQuery {
  readonly identifier?: string | undefined;
}

/** Whether the service still has a person, under another address too. A deleted user is gone. */
export type GoneProof =
  | { readonly is: "gone" }
  | { readonly is: "shown"; readonly user: ObservedUser }
  | { readonly is: "unproven"; readonly why: string };

interface GonePorts {
  readonly service: AccountService;
  readonly parallelism: number;
  readonly signal?: AbortSignal;
  /** What else this run has read. */
  readonly accounts?: readonly ObservedAccount[];
  /** Somebody whom this run has seen in the service. */
  readonly known?: UserQuery | undefined;
}

/** Reads the complete list of users, and searches for each person: only both together prove that they are gone. */
export async function proveGone(
  people: readonly RecordedPerson[],
  { service, parallelism, signal, accounts = [], known }: GonePorts,
): Promise<Result<ReadonlyMap<FoldedAddress, GoneProof>, Failure>> {
  const list = await service.listUsers(signal);
  if (!list.ok) return list;
  const listed = list.value.users.filter((user) => !isDeleted(user));
  const inList = userLookup(listed);
  const sought = people.filter((person) => inList(person) === undefined);
  const read = await peopleReader({ service, parallelism, known: listed }).read(sought, "forget", signal);
  if (!read.ok) return read;
  const { users: found, absences: misses } = read.value;
  const somebody = known === undefined ? undefined : { address: known.address, sent: known.email };
  const everyone = assessUserList(list.value, { found, accounts, known: somebody });
  const asked = sought.map(({ address, email }) => ({ address, sent: email }));
  const absences = proveAbsences(asked, { users: found, misses, everyone, accounts });
  const inReads = userLookup([...listed, ...found.filter((user) => !isDeleted(user))]);
  const proofOf = (person: RecordedPerson): GoneProof => {
    const user = inReads(person);
    if (user !== undefined) return { is: "shown", user };
    // A deleted user at this address says nothing of another address, which an incomplete list may lack.
    if (everyone.read === "incomplete")
      return { is: "unproven", why: `the list of users is incomplete: ${everyone.why}` };
    const absence = absences.get(person.address);
    return absence?.proven === false ? { is: "unproven", why: absence.why } : { is: "gone" };
  };
  return success(new Map(people.map((person) => [person.address, proofOf(person)])));
}

function userLookup(users: readonly ObservedUser[]): (person: RecordedPerson) => ObservedUser | undefined {
  const byAddress = new Map(users.map((user) => [user.address, user]));
  const byIdentifier = new Map(users.map((user) => [user.identifier, user]));
  return ({ address, identifier }) =>
    byAddress.get(address) ?? (identifier === undefined ? undefined : byIdentifier.get(identifier));
}
