import { success } from "../model/result.ts";
import { accountStatus } from "../model/snapshot.ts";
import type { AccountService, UserQuery, UserReader } from "../ports/account-service.ts";
import type { Progress } from "../ports/progress.ts";
import { boundedReads, type ReadNames, readNamesFor } from "./reads.ts";
import { listUsers, searchUnlisted } from "./search.ts";
import { KnownUserProbes } from "./search-batches.ts";
import type { AddressQuery } from "./users-to-read.ts";

/**
 * Reads people by the same judged search as a snapshot: `known` are people known to be there, the best known first; whoever
 * a read finds is known from then on. Where nobody is known, the list of users is read too.
 */
export function peopleReader(ports: {
  readonly service: AccountService;
  /** Reads at once. */
  readonly parallelism: number;
  readonly known: readonly UserQuery[];
}): UserReader {
  const { service, parallelism } = ports;
  const reads = boundedReads(parallelism);
  const names = new Map<string, ReadNames>();
  let known = new KnownUserProbes(ports.known.map(toQuery));

  function namesFor(purpose: string): ReadNames {
    const given = names.get(purpose) ?? readNamesFor(purpose);
    names.set(purpose, given);
    return given;
  }

  return {
    async read(people, purpose, signal) {
      const asked = people.map(toQuery);
      const searchPorts = { service, reads, names: namesFor(purpose), progress: noProgress, signal };
      const list = known.best === undefined && asked.length > 0 ? await listUsers(searchPorts) : success(undefined);
      if (!list.ok) return list;
      const found = await searchUnlisted(list.value, asked, known, searchPorts);
      if (!found.ok) return found;
      const wanted = new Set(asked.map(({ address }) => address));
      const users = [...(list.value?.users ?? []), ...found.value.users];
      const present = users.filter(({ status }) => accountStatus(status) !== "deleted");
      known = known.with(present.map(toQuery));
      return success({ users: users.filter(({ address }) => wanted.has(address)), absences: found.value.misses });
    },
  };
}

function toQuery({ address, email }: UserQuery): AddressQuery {
  return { address, sent: email };
}

const noProgress: Progress = { report: () => undefined };
