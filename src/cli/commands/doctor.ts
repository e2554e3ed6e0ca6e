import type { NetworkOptions } from "../../http/connection.ts";
import type { Connection, Service } from "../../library/connect.ts";
import { errorFromFailure } from "../../library/error.ts";
import { privilegedRolesOf } from "../../library/policy.ts";
import type { AnswerShape } from "../../model/capabilities.ts";
import { definedFields } from "../../model/collections.ts";
import { accountStatus } from "../../model/key.ts";
import type { Failure } from "../../model/recorded.ts";
import { type Result, success } from "../../model/result.ts";
import type { ObservedAccount } from "../../model/snapshot.ts";
import type { ObservedUser } from "../../model/user.ts";
import { assessUserList } from "../../observe/absence.ts";
import { observedCapabilities } from "../../observe/observe.ts";
import { decisiveFailure, diagnose } from "../../report/doctor/diagnose.ts";
import type {
  DoctorObservations,
  ObservedConnection,
  OtherAddress,
  SearchCheck,
} from "../../report/doctor/observations.ts";
import type { Flags } from "../flags.ts";
import type { Host } from "../host.ts";
import { openLog } from "../log.ts";
import { connectService } from "../open.ts";
import { type FinishedCommand, runCommand } from "../run-command.ts";
import { pullRequestOf } from "../run-context.ts";
import { keySource } from "../settings/credentials.ts";
import { readSettings, type Settings } from "../settings/settings.ts";
import { shownSettings } from "../settings/shown-settings.ts";

/** Shows the settings that are set, asks a service how it answers and says what that means for a plan. Reads alone; needs no roster and no state, and shows what a state has learned. */
export function doctor(flags: Flags, host: Host): Promise<FinishedCommand> {
  return runCommand("doctor", flags, host, async (command) => {
    const shown = await shownSettings(flags, host);
    command.tell({ examination: { settings: shown, checks: [] } });
    const settings = await readSettings(flags, host);
    const answers: AnswerShape[] = [];
    const watch = (answer: AnswerShape) => void answers.push(answer);
    const service = command.closing(await connectService(settings, host, { ...flags, watch }));
    const named = settings.account === undefined ? [...settings.accounts.values()] : [settings.account];
    const asked: Visit = {
      endpoint: settings.endpoint?.value ?? "",
      way: transportSeen(service.way, settings),
      node: process.version,
      accounts: named.map((account) => settings.accounts.get(account) ?? account),
      now: host.clock.now(),
      key: { from: keySource(settings, host).name, privilegedRoles: privilegedRolesOf(settings.guards) },
      ...definedFields({ pullRequest: pullRequestOf(host) }),
      service,
      answers,
      signal: host.interruption.signal,
    };
    const seen = { ...(await visit(asked)), settings: shown };
    const failure = decisiveFailure(seen);
    const writes = await seenWrites(settings, service.address, host);
    command.tell({ examination: diagnose({ ...seen, ...writes }) });
    if (failure !== undefined) throw errorFromFailure(failure);
  });
}

/** A log that cannot be read, or is of another service, says nothing of this one: no reason to say more. */
async function seenWrites(
  settings: Settings,
  address: string,
  host: Host,
): Promise<Pick<DoctorObservations, "writes">> {
  const log = await openLog(settings, host, "allowed").catch(() => undefined);
  const state = await log?.store.read().finally(() => log.close());
  if (state?.ok !== true || (state.value.service ?? address) !== address) return {};
  return { writes: definedFields({ learned: state.value.writes, set: settings.consistency }) };
}

function transportSeen({ proxy }: NetworkOptions, { network: { ca } }: Settings): ObservedConnection {
  return definedFields({ proxy: proxy?.shown, authorities: ca?.value });
}

interface Visit extends Pick<DoctorObservations, "endpoint" | "way" | "node" | "pullRequest"> {
  /** Accounts that the settings or a flag name; without any, those that the service lists. */
  readonly accounts: readonly string[];
  readonly service: Service;
  /** Every answer so far; grows while the service is asked. */
  readonly answers: readonly AnswerShape[];
  readonly now: number;
  readonly signal: AbortSignal;
  readonly key: Pick<DoctorObservations["key"], "from" | "privilegedRoles">;
}

const maxAccounts = 3;

/** Asks a service all that a doctor wants to know. Sends reads alone. */
async function visit({
  accounts: named,
  service,
  signal,
  ...about
}: Visit): Promise<Omit<DoctorObservations, "settings">> {
  const { connection, keyPrefix, address } = service;
  const roles = await connection.listRoles(signal);
  const key = { ...about.key, ...definedFields({ prefix: keyPrefix }) };
  const base = { ...about, address, roles, key };
  const doubtful = !roles.ok && isAddressInDoubt(roles.error);
  const otherAddresses = doubtful ? await tryOthers(service, about.endpoint, signal) : [];
  if (!roles.ok && !isWorthAsking(roles.error, otherAddresses)) return { ...base, otherAddresses, details: [] };
  const accounts = await connection.listAccounts(signal);
  const listed = accounts.ok ? accounts.value.map(({ identifier }) => identifier) : [];
  const details: { account: string; reading: Result<ObservedAccount, Failure> }[] = [];
  for (const account of (named.length > 0 ? named : listed).slice(0, maxAccounts))
    details.push({ account, reading: await connection.readAccount(account, signal) });
  const { shown, ...people } = await readPeople(connection, details, signal);
  return { ...base, key: { ...key, ...definedFields({ shown }) }, otherAddresses, accounts, details, ...people };
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
async function tryOthers(service: Service, endpoint: string, signal: AbortSignal): Promise<readonly OtherAddress[]> {
  const { origin, pathname } = new URL(endpoint);
  const path = pathname.replace(/\/+$/u, "");
  const paths = ["", `${path}/api`, path.replace(/\/[^/]*$/u, ""), "/api"];
  const addresses = new Set(paths.map((one) => `${origin}${one}`));
  addresses.delete(service.address);
  const tried: OtherAddress[] = [];
  for (const address of addresses) {
    const configured = address.endsWith("/api") ? `${address}/api` : address;
    const other = service.at(new URL(configured));
    tried.push({ address: other.address, endpoint: configured, reading: await other.listRoles(signal) });
    await other.close();
  }
  return tried;
}

type UsersRead = Pick<DoctorObservations, "list" | "search" | "capabilities" | "unread"> &
  Pick<DoctorObservations["key"], "shown">;

async function readPeople(
  service: Connection,
  details: DoctorObservations["details"],
  signal: AbortSignal,
): Promise<UsersRead> {
  const before = service.requests.reads;
  const list = await service.listUsers(signal);
  if (!list.ok) return { list };
  const requests = service.requests.reads - before;
  const known = list.value.users.find(({ status }) => accountStatus(status) !== "deleted");
  const search = known === undefined ? undefined : await service.searchUsers([known.email], "search 1", signal);
  const found = search?.ok ? search.value : [];
  const users = [...list.value.users, ...found];
  const accounts = details.flatMap(({ reading }) => (reading.ok ? [reading.value] : []));
  const everyone = assessUserList(list.value, { found, accounts, known: new Map() });
  // Who owns the key in use, and its roles, where an answer shows them.
  const [shown] = users.flatMap(({ email, keys = [] }) =>
    keys
      .filter(({ prefix }) => prefix === service.keyPrefix)
      .map(({ roles }) => ({ email, ...definedFields({ roles }) })),
  );
  const check = {
    ...definedFields({ shown }),
    list: success({ users: list.value.users.length, requests, everyone }),
    capabilities: observedCapabilities(users, service),
    unread: service.unread ?? [],
  };
  if (known === undefined || search === undefined) return check;
  const reading = search.ok ? success(foundBySearch(known, found)) : search;
  return { ...check, search: { email: known.email, reading } };
}

function foundBySearch(known: ObservedUser, found: readonly ObservedUser[]): SearchCheck {
  if (!found.some(({ address }) => address === known.address)) return "not-found";
  return found.some(({ address }) => address !== known.address) ? "found-among-others" : "found";
}
