import type { NetworkOptions } from "../../http/connection.ts";
import type { Connection } from "../../library/connect.ts";
import { errorFromFailure } from "../../library/error.ts";
import { privilegedRolesOf } from "../../library/policy.ts";
import type { AnswerShape } from "../../model/capabilities.ts";
import { definedFields } from "../../model/collections.ts";
import { accountStatus } from "../../model/key.ts";
import type { Capabilities, Failure } from "../../model/recorded.ts";
import { type Result, success } from "../../model/result.ts";
import type { ObservedAccount } from "../../model/snapshot.ts";
import type { ObservedUser } from "../../model/user.ts";
import { assessUserList } from "../../observe/absence.ts";
import { observedCapabilities } from "../../observe/observe.ts";
import type { AccountService, UserList } from "../../ports/account-service.ts";
import type { Clock } from "../../ports/clock.ts";
import { decisiveFailure, diagnose } from "../../report/doctor/diagnose.ts";
import type {
  DoctorObservations,
  ObservedConnection,
  ObservedUserList,
  OtherAddress,
  SearchCheck,
} from "../../report/doctor/observations.ts";
import type { Host } from "../host.ts";
import { openLog } from "../log.ts";
import { connectService } from "../open.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { type FinishedCommand, runCommand } from "../run-command.ts";
import { pullRequestOf } from "../run-context.ts";
import { keySource } from "../settings/credentials.ts";
import { readSettings, type SettingFlags, type Settings } from "../settings/settings.ts";
import { shownSettings } from "../settings/shown-settings.ts";

export interface DoctorFlags extends SettingFlags, OutputFlags {
  readonly debug?: boolean;
}

/** Shows the settings that are set, asks a service how it answers and says what that means for a plan. Reads alone; needs no roster and no state, and shows what a state has learned. */
export function doctor(flags: DoctorFlags, host: Host): Promise<FinishedCommand> {
  return runCommand("doctor", flags, host, async (command) => {
    const shown = await shownSettings(flags, host);
    command.tell({ examination: { settings: shown, checks: [] } });
    const settings = await readSettings(flags, host);
    const answers: AnswerShape[] = [];
    const watch = (answer: AnswerShape) => void answers.push(answer);
    const service = command.closing(await connectService(settings, host, { ...flags, watch }));
    const named = settings.account === undefined ? [...settings.accounts.values()] : [settings.account];
    const visiting = {
      endpoint: settings.endpoint?.value ?? "",
      way: transportSeen(service.way, settings),
      node: process.version,
      accounts: named.map((account) => settings.accounts.get(account) ?? account),
      connectTo: (address: string) => service.at(new URL(address)),
      clock: host.clock,
      key: { from: keySource(settings, host).name, privilegedRoles: privilegedRolesOf(settings.guards) },
      about: definedFields({ pullRequest: pullRequestOf(host) }),
      service: service.connection,
      answers,
      signal: host.interruption.signal,
    };
    const seen = { ...(await visit(visiting)), settings: shown };
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

export interface Visit {
  readonly endpoint: string;
  readonly way: ObservedConnection;
  readonly node: string;
  /** Accounts that the settings or a flag name; without any, those that the service lists. */
  readonly accounts: readonly string[];
  readonly service: AccountService;
  /** Every answer so far; grows while the service is asked. */
  readonly answers: readonly AnswerShape[];
  /** Opens the same service under another address. */
  readonly connectTo: (address: string) => Connection;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Where the key comes from, and which roles are privileged. */
  readonly key: Pick<DoctorObservations["key"], "from" | "privilegedRoles">;
  readonly about: Pick<DoctorObservations, "pullRequest">;
}

const maxAccounts = 3;

/** Asks a service all that a doctor wants to know. Sends reads alone. */
export async function visit(of: Visit): Promise<Omit<DoctorObservations, "settings">> {
  const { endpoint, way, node, service, answers, clock, signal, about } = of;
  const roles = await service.listRoles(signal);
  const key = { ...of.key, ...(service.keyPrefix === undefined ? {} : { prefix: service.keyPrefix }) };
  const base = { endpoint, way, address: service.address, node, now: clock.now(), roles, answers, key, ...about };
  const otherAddresses = !roles.ok && isAddressInDoubt(roles.error) ? await tryOthers(of) : [];
  if (!roles.ok && !isWorthAsking(roles.error, otherAddresses)) return { ...base, otherAddresses, details: [] };
  const accounts = await service.listAccounts(signal);
  const details = await readDetails(of, accounts);
  const { shown, ...people } = await readPeople(of, details);
  const shownKey = shown === undefined ? key : { ...key, shown };
  return { ...base, key: shownKey, otherAddresses, accounts, details, ...people };
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

type UsersRead = Pick<DoctorObservations, "list" | "search" | "capabilities" | "unread"> &
  Pick<DoctorObservations["key"], "shown">;

async function readPeople({ service, signal }: Visit, details: DoctorObservations["details"]): Promise<UsersRead> {
  const before = service.requests.reads;
  const list = await service.listUsers(signal);
  if (!list.ok) return { list };
  const requests = service.requests.reads - before;
  const known = list.value.users.find(({ status }) => accountStatus(status) !== "deleted");
  const found = known === undefined ? undefined : await service.searchUsers([known.email], "search 1", signal);
  const users = [...list.value.users, ...(found?.ok ? found.value : [])];
  const capabilities: Capabilities = observedCapabilities(users, service);
  const check = {
    ...shownKeyOf(users, service.keyPrefix),
    list: success(listSeen(list.value, found, { details, requests })),
    capabilities,
    unread: service.unread ?? [],
  };
  if (known === undefined || found === undefined) return check;
  const reading = found.ok ? success(foundBySearch(known, found.value)) : found;
  return { ...check, search: { email: known.email, reading } };
}

/** Who owns the key in use, and its roles, where an answer shows them. */
function shownKeyOf(
  users: readonly ObservedUser[],
  prefix: string | undefined,
): Pick<DoctorObservations["key"], "shown"> {
  const [shown] = users.flatMap(({ email, keys = [] }) =>
    keys
      .filter((key) => key.prefix === prefix)
      .map(({ roles }) => ({ email, ...(roles === undefined ? {} : { roles }) })),
  );
  return shown === undefined ? {} : { shown };
}

function listSeen(
  list: UserList,
  found: Result<readonly ObservedUser[], Failure> | undefined,
  { details, requests }: { readonly details: DoctorObservations["details"]; readonly requests: number },
): ObservedUserList {
  const accounts = details.flatMap(({ reading }) => (reading.ok ? [reading.value] : []));
  const others = { found: found?.ok ? found.value : [], accounts, known: new Map() };
  return { users: list.users.length, requests, everyone: assessUserList(list, others) };
}

function foundBySearch(known: ObservedUser, found: readonly ObservedUser[]): SearchCheck {
  if (!found.some(({ address }) => address === known.address)) return "not-found";
  return found.some(({ address }) => address !== known.address) ? "found-among-others" : "found";
}
