import { maxAnnouncementTime, maxClockSkew } from "../model/consistency.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import type { AccountService } from "../ports/account-service.ts";
import { type Clock, isoTime } from "../ports/clock.ts";
import type { Progress } from "../ports/progress.ts";
import { type AddressQuery, addressesToRead } from "./asked-addresses.ts";
import { boundedReads } from "./bounded-reads.ts";
import { assessUserList, proveAbsences } from "./judge-absences.ts";
import { observedCapabilities } from "./learn-capabilities.ts";
import { recordReads } from "./noted-reads.ts";
import { withOtherAccounts } from "./other-accounts.ts";
import { readAccountsAndRoles } from "./overview.ts";
import { readNames } from "./read-names.ts";
import { type ObserveInput, readUsers, type UsersRead } from "./read-people.ts";
import { waitForSettling } from "./settling-wait.ts";
import { pendingWrites } from "./unshown.ts";

export interface ObservePorts {
  readonly service: AccountService;
  readonly clock: Clock;
  readonly progress: Progress;
  /** Reads at once. */
  readonly parallelism: number;
  readonly signal?: AbortSignal;
}

/** Reads everything that a plan needs. A read that fails or is not understood fails the whole: it is never an empty list. */
export async function observe(question: ObserveInput, ports: ObservePorts): Promise<Result<Snapshot, Failure>> {
  const { service, clock, progress, parallelism, signal } = ports;
  const { open } = question.state;
  const times = open.map(({ at }) => at);
  await waitForSettling({ what: "unsettled calls", times, ahead: maxAnnouncementTime, apart: maxClockSkew }, ports);
  if (signal?.aborted) return problem(stoppedBeforeReading);
  const readsBefore = service.requests.reads;
  const readAt = isoTime(clock);
  const noted = recordReads(service, clock);
  const readPorts = { service: noted.service, reads: boundedReads(parallelism), names: readNames(), progress, signal };
  const overview = await readAccountsAndRoles(question.roster, readPorts);
  if (!overview.ok) return overview;
  const asked = addressesToRead(question.roster, question.state);
  const readOnce = () => readUsers(question, asked, overview.value.accounts, readPorts);
  const people = await readAgainIfPending(readOnce, question.state, asked, ports);
  if (!people.ok) return people;
  const { roles, accounts } = overview.value;
  const { list, found, misses, known } = people.value;
  const placed = await withOtherAccounts(people.value.users, question.roster, accounts, readPorts);
  if (!placed.ok) return placed;
  const users = placed.value;
  const everyone = assessUserList(list, { found, accounts: accounts.values(), known });
  return success({
    service: service.address,
    readAt,
    reads: service.requests.reads - readsBefore,
    readings: noted.readings,
    roles,
    accounts,
    users,
    absences: proveAbsences(asked, { users, misses, everyone, accounts: accounts.values() }),
    everyone,
    capabilities: observedCapabilities(users, service),
    ...unreadField(service),
  });
}

function unreadField({ unread = [] }: AccountService): Pick<Snapshot, "unread"> {
  return unread.length === 0 ? {} : { unread };
}

/** Reads a second time where what we did a moment ago does not show: it must, once the service has had its time. */
async function readAgainIfPending(
  readOnce: () => Promise<Result<UsersRead, Failure>>,
  state: State,
  asked: readonly AddressQuery[],
  ports: ObservePorts,
): Promise<Result<UsersRead, Failure>> {
  const people = await readOnce();
  if (!people.ok) return people;
  const unshown = pendingWrites(state, asked, people.value.users);
  const waited = await waitForSettling({ what: "recent changes", times: unshown }, ports);
  return waited && !ports.signal?.aborted ? readOnce() : people;
}

const stoppedBeforeReading: Failure = { code: "aborted", message: "The run was stopped before anything was read" };
