import type { Capabilities } from "../model/capabilities.ts";
import { type Failure, type Result, success } from "../model/result.ts";
import { accountStatus, type ObservedAccount, type ObservedUser } from "../model/snapshot.ts";
import { assessUserList } from "../observe/absence.ts";
import { observedCapabilities } from "../observe/capabilities.ts";
import type { AccountService, UserList } from "../ports/account-service.ts";
import type { Clock } from "../ports/clock.ts";
import type {
  DoctorObservations,
  ObservedConnection,
  ObservedUserList,
  OtherAddress,
  ResponseShape,
  SearchResult,
} from "../report/doctor/observations.ts";
import type { Connection } from "./planning/connection.ts";

export interface Visit {
  readonly endpoint: string;
  readonly way: ObservedConnection;
  readonly node: string;
  /** Accounts that the settings or a flag name; without any, those that the service lists. */
  readonly accounts: readonly string[];
  readonly service: AccountService;
  /** Every answer so far; grows while the service is asked. */
  readonly answers: readonly ResponseShape[];
  /** Opens the same service under another address. */
  readonly connectTo: (address: string) => Connection;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const maxAccounts = 3;

/** Asks a service all that a doctor wants to know. Sends reads alone. */
export async function visit(of: Visit): Promise<DoctorObservations> {
  const { endpoint, way, node, service, answers, clock, signal } = of;
  const roles = await service.listRoles(signal);
  const base = { endpoint, way, address: service.address, node, now: clock.now(), roles, answers };
  const otherAddresses = !roles.ok && isAddressInDoubt(roles.error) ? await tryOthers(of) : [];
  if (!roles.ok && !isWorthAsking(roles.error, otherAddresses)) return { ...base, otherAddresses, details: [] };
  const accounts = await service.listAccounts(signal);
  const details = await readDetails(of, accounts);
  const people = await readPeople(of, details);
  return { ...base, otherAddresses, accounts, details, ...people };
}

/** A key that may not read the roles may read others; a shape that is not known may be that of the roles alone. */
function isWorthAsking({ code }: Failure, others: readonly OtherAddress[]): boolean {
  return code === "forbidden" || (code === "misunderstood" && !others.some(({ reading }) => reading.ok));
}

/** Nobody is there, or somebody else. */
function isAddressInDoubt({ code }: Failure): boolean {
  return code === "not-found" || code === "misunderstood" || code === "redirected" || code === "refused";
}

/** The same host without its path, and the places where a service with `/api` in its own base would be. */
async function tryOthers({ service, endpoint, connectTo, signal }: Visit): Promise<readonly OtherAddress[]> {
  const { origin, pathname } = new URL(endpoint);
  const path = pathname.replace(/\/+$/u, "");
  const paths = ["", `${path}/api`, path.replace(/\/[^/]*$/u, ""), "/api"];
  const addresses = [...new Set(paths.map((one) => `${origin}${one}`))].filter(
    (address) => address !== service.address,
  );
  const tried: OtherAddress[] = [];
  for (const address of addresses) {
    const configured = address.endsWith("/api") ? `${address}/api` : address;
    const other = connectTo(configured);
    tried.push({ address: other.address, endpoint: configured, reading: await other.listRoles(signal) });
    await other.close();
  }
  return tried;
}

async function readDetails(
  { accounts: named, service, signal }: Visit,
  listed: Result<readonly ObservedAccount[], Failure>,
): Promise<DoctorObservations["details"]> {
  const found = listed.ok ? listed.value.map(({ identifier }) => identifier) : [];
  const chosen = (named.length > 0 ? named : found).slice(0, maxAccounts);
  const details: { account: string; reading: Result<ObservedAccount, Failure> }[] = [];
  for (const account of chosen) details.push({ account, reading: await service.readAccount(account, signal) });
  return details;
}

type PeopleSeen = Pick<DoctorObservations, "list" | "search" | "capabilities" | "unread">;

async function readPeople({ service, signal }: Visit, details: DoctorObservations["details"]): Promise<PeopleSeen> {
  const before = service.requests.reads;
  const list = await service.listUsers(signal);
  if (!list.ok) return { list };
  const requests = service.requests.reads - before;
  const known = list.value.users.find(({ status }) => accountStatus(status) !== "deleted");
  const found = known === undefined ? undefined : await service.searchUsers([known.email], "search 1", signal);
  const users = [...list.value.users, ...(found?.ok ? found.value : [])];
  const capabilities: Capabilities = observedCapabilities(users, service);
  const told = {
    list: success(listSeen(list.value, found, { details, requests })),
    capabilities,
    unread: service.unread ?? [],
  };
  if (known === undefined || found === undefined) return told;
  const reading = found.ok ? success(foundBySearch(known, found.value)) : found;
  return { ...told, search: { email: known.email, reading } };
}

function listSeen(
  list: UserList,
  found: Result<readonly ObservedUser[], Failure> | undefined,
  { details, requests }: { readonly details: DoctorObservations["details"]; readonly requests: number },
): ObservedUserList {
  const accounts = details.flatMap(({ reading }) => (reading.ok ? [reading.value] : []));
  const beside = { found: found?.ok ? found.value : [], accounts, known: undefined };
  return { users: list.users.length, requests, everyone: assessUserList(list, beside) };
}

function foundBySearch(known: ObservedUser, found: readonly ObservedUser[]): SearchResult {
  if (!found.some(({ address }) => address === known.address)) return "not-found";
  return found.some(({ address }) => address !== known.address) ? "found-among-others" : "found";
}
