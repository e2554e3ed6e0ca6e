import { foldAddress } from "../model/address.ts";
import { roleSet, sameRoles } from "../model/role-set.ts";
import type { State } from "../model/state.ts";
import { isPseudonym } from "./hidden-address.ts";
import { quoted } from "./quoted.ts";
import type { SnapshotDocument } from "./snapshot-shape.ts";

type SnapshotCheck = (document: SnapshotDocument, state: State) => string | undefined;

/** What a valid document says against itself: one sentence without a trailing stop. */
export function snapshotProblem(document: SnapshotDocument, state: State): string | undefined {
  for (const check of snapshotChecks) {
    const fault = check(document, state);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const snapshotChecks: readonly SnapshotCheck[] = [
  ({ made_at, read_at, readings }) => {
    const times = [["made_at", made_at], ["read_at", read_at], ...readings.map(({ read, at }) => [read, at])];
    const wrong = times.find(([, at = ""]) => Number.isNaN(Date.parse(at)));
    return wrong && `the time ${quoted(wrong[1])} of ${quoted(wrong[0])} is none`;
  },
  ({ addresses, key_check: check }) =>
    (addresses === "hashed") === (check !== undefined)
      ? undefined
      : "key_check stands there where, and only where, addresses are hashed",
  ({ service }, state) =>
    state.service === undefined || state.service === service
      ? undefined
      : `its state is about the service ${quoted(state.service)}, and its reads are of ${quoted(service)}`,
  unfoldedAddress,
  ({ users, absences }) => {
    const there = new Set<string>(users.map(({ address }) => address));
    const both = absences.find(({ address }) => there.has(address));
    return both && `/absences names ${quoted(both.address)}, who is among /users`;
  },
  ({ users }) => {
    const lists = users.flatMap(({ keys = [] }) => keys.flatMap(({ roles }) => (roles === undefined ? [] : [roles])));
    const wrong = lists.find((roles) => !sameRoles(roles, roleSet(roles)));
    return wrong && `the roles ${quoted(wrong)} of a key are not sorted, or name one twice`;
  },
  plainAddressAmongHashed,
];

/** An address that is not folded would be nobody's. */
function unfoldedAddress({ users, accounts, absences }: SnapshotDocument): string | undefined {
  const user = users.find(({ email, address }) => foldAddress(email) !== address);
  if (user !== undefined) return `/users: the address of ${quoted(user.email)} is not ${quoted(user.address)}`;
  const others: readonly string[] = [...absences.map(({ address }) => address), ...accounts.flatMap(accountMembers)];
  const wrong = others.find((address) => foldAddress(address) !== address);
  return wrong === undefined ? undefined : `the address ${quoted(wrong)} is not written as it is compared`;
}

function accountMembers({
  members = [],
  memberStatuses = [],
}: SnapshotDocument["accounts"][number]): readonly string[] {
  return [...members, ...memberStatuses.map(({ address }) => address)];
}

function plainAddressAmongHashed({ addresses, users, accounts, absences }: SnapshotDocument): string | undefined {
  if (addresses === "plain") return undefined;
  const all = [...users, ...absences].map(({ address }): string => address);
  const plain = [...all, ...accounts.flatMap(accountMembers)].find((address) => !isPseudonym(address));
  return plain === undefined ? undefined : `it says that addresses are hashed, and ${quoted(plain)} is not`;
}
