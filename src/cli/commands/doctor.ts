import type { Connection, Service } from "../../library/connect.ts";
import { errorFromFailure, orThrow } from "../../library/error.ts";
import { checkService } from "../../library/plan.ts";
import { privilegedRolesOf } from "../../library/policy.ts";
import type { AnswerShape } from "../../model/capabilities.ts";
import { definedFields } from "../../model/collections.ts";
import type { Failure } from "../../model/failure.ts";
import { accountStatus } from "../../model/key.ts";
import { type Result, success } from "../../model/result.ts";
import type { ObservedAccount } from "../../model/snapshot.ts";
import { observedCapabilities } from "../../observe/observe.ts";
import { assessUserList } from "../../observe/search.ts";
import {
  type DoctorObservations,
  diagnose,
  type OtherAddress,
  readFailures,
  type SearchCheck,
} from "../../report/doctor/diagnose.ts";
import type { Flags } from "../flags.ts";
import { openLog } from "../log.ts";
import { connectService, keySource } from "../open.ts";
import type { Command } from "../run-command.ts";
import { pullRequestOf } from "../run-context.ts";
import { readSettings, shownSettings } from "../settings/settings.ts";

/** Shows the settings, and says what the answers of a service mean for a plan. Only reads; needs no roster and no state. */
export async function doctor({ closing, host, tell }: Command, flags: Flags): Promise<void> {
  const shown = await shownSettings(flags, host);
  tell({ examination: { settings: shown, checks: [] } });
  const settings = await readSettings(flags, host);
  const answers: AnswerShape[] = [];
  const watch = (answer: AnswerShape) => void answers.push(answer);
  const service = closing(await connectService(settings, host, { ...flags, watch }));
  const { address, keyPrefix, way } = service;
  const { signal } = host.interruption;
  const roles = await service.connection.listRoles(signal);
  const failed = roles.ok ? undefined : roles.error.code;
  const isInDoubt = ["not-found", "misunderstood", "redirected", "refused"].some((code) => code === failed);
  const otherAddresses = isInDoubt ? await tryOthers(service, settings.endpoint?.value ?? "", signal) : [];
  // A key that may not read the roles may read others; a shape that is not known may be that of the roles alone.
  const isAnswered =
    roles.ok ||
    failed === "forbidden" ||
    (failed === "misunderstood" && !otherAddresses.some(({ reading }) => reading.ok));
  const named = settings.account === undefined ? [...settings.accounts.values()] : [settings.account];
  const accounts = named.map((account) => settings.accounts.get(account) ?? account);
  const { shown: keyHolder, ...people }: PeopleRead = isAnswered
    ? await readPeople(service.connection, accounts, signal)
    : { details: [] };
  // A log that cannot be read says nothing of the service.
  const log = await openLog(settings, host).catch(() => undefined);
  const read = await log?.store.read().finally(() => log.close());
  const state = read?.ok === true ? read.value : undefined;
  const isOurs = state !== undefined && (state.service ?? address) === address;
  const writes = isOurs ? definedFields({ learned: state.writes, set: settings.consistency }) : undefined;
  const seen: DoctorObservations = {
    settings: shown,
    address,
    way: definedFields({ proxy: way.proxy?.shown, authorities: settings.network.ca?.value }),
    node: process.version,
    roles,
    otherAddresses,
    answers,
    ...people,
    key: {
      from: keySource(settings, host).name,
      privilegedRoles: privilegedRolesOf(settings.guards),
      ...definedFields({ prefix: keyPrefix, shown: keyHolder }),
    },
    ...definedFields({ pullRequest: pullRequestOf(host), writes }),
  };
  tell({ examination: diagnose(seen) });
  const [failure] = readFailures(seen);
  if (failure !== undefined) throw errorFromFailure(failure);
  if (log !== undefined && read !== undefined) checkService(orThrow(read), service, log);
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

type PeopleRead = Pick<DoctorObservations, "accounts" | "details" | "list" | "search" | "capabilities" | "unread"> &
  Pick<DoctorObservations["key"], "shown">;

const maxAccounts = 3;

async function readPeople(service: Connection, named: readonly string[], signal: AbortSignal): Promise<PeopleRead> {
  const accounts = await service.listAccounts(signal);
  const listed = accounts.ok ? accounts.value.map(({ identifier }) => identifier) : [];
  const details: { account: string; reading: Result<ObservedAccount, Failure> }[] = [];
  for (const account of (named.length > 0 ? named : listed).slice(0, maxAccounts))
    details.push({ account, reading: await service.readAccount(account, signal) });
  const before = service.requests.reads;
  const list = await service.listUsers(signal);
  if (!list.ok) return { accounts, details, list };
  const requests = service.requests.reads - before;
  const known = list.value.users.find(({ status }) => accountStatus(status) !== "deleted");
  const search = known && (await service.searchUsers([known.email], "search 1", signal));
  const found = search?.ok ? search.value : [];
  const users = [...list.value.users, ...found];
  const read = details.flatMap(({ reading }) => (reading.ok ? [reading.value] : []));
  const everyone = assessUserList(list.value, { found, accounts: read, known: new Map() });
  // Who owns the key in use, and its roles, where an answer shows them.
  const [shown] = users.flatMap(({ email, keys = [] }) => {
    const own = keys.filter(({ prefix }) => prefix === service.keyPrefix);
    return own.map(({ roles }) => ({ email, ...definedFields({ roles }) }));
  });
  const others = found.filter(({ address }) => address !== known?.address).length;
  const isFound = others < found.length;
  const check: SearchCheck = !isFound ? "not-found" : others > 0 ? "found-among-others" : "found";
  const searched = known && search && { email: known.email, reading: search.ok ? success(check) : search };
  return {
    accounts,
    details,
    list: success({ users: list.value.users.length, requests, everyone }),
    capabilities: observedCapabilities(users, service.lists),
    unread: service.unread ?? [],
    ...definedFields({ shown, search: searched }),
  };
}
