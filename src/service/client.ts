import type { NetworkOptions } from "../http/connection.ts";
import { type OriginOptions, openOrigin } from "../http/origin.ts";
import { callTimeout, timeLeft } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import { problem, success } from "../model/result.ts";
import type { AccountService, AddMembersResponse } from "../ports/account-service.ts";
import { momentOf } from "../ports/clock.ts";
import { Caller, type CallerPorts, type Reply, type Transport } from "./caller.ts";
import { decodeReplacedRoles } from "./decode/key.ts";
import { UnreadFields } from "./decode/unread-fields.ts";
import { decodeAccount } from "./decode/user.ts";
import { decodeAddedMembers, decodeCreatedUser, showsCreatedUser } from "./decode/write-answers.ts";
import { listAccounts, listRoles, listUsers, type ServiceParts, searchUsers } from "./lists.ts";
import { nothingLearned, pagingShown } from "./page-walk.ts";
import { baseAddress, requestsUnder } from "./requests.ts";
import { reshapeBy, type Shapes } from "./shapes.ts";

interface AccountServiceOptions extends Omit<CallerPorts, "transport"> {
  /** One that `endpointProblem` has nothing against; anything else throws. */
  readonly endpoint: URL;
  /** Where the answers hold what cannot be found by itself. */
  readonly shapes?: Shapes;
  /** Pages of one list that are read at the same time, once an answer has told how many there are; one by one without it. */
  readonly parallelism?: number;
}

/** The account service by whatever carries its calls. */
export function accountServiceClient(transport: Transport, options: AccountServiceOptions): AccountService {
  const { endpoint, shapes = {}, parallelism = 1, ...ports } = options;
  const { prefix, address } = baseAddress(endpoint);
  const { key, clock } = ports;
  const caller = new Caller({ ...ports, transport });
  const requests = requestsUnder(prefix);
  const reshape = reshapeBy(shapes);
  const learned = nothingLearned();
  const unread = new UnreadFields();
  const parts: ServiceParts = { caller, clock, parallelism, requests, reshape, learned, unread };
  return {
    address,
    get keyPrefix() {
      return key.prefix;
    },
    get requests() {
      return caller.requests;
    },
    get paging() {
      return pagingShown(learned);
    },
    times: caller.times,
    mayStart: caller.mayStart,
    get totals() {
      return learned.totals;
    },
    get unread() {
      return unread.found;
    },
    listRoles: (signal) => listRoles(parts, signal),
    listAccounts: (signal) => listAccounts(parts, signal),
    listUsers: (signal) => listUsers(parts, signal),
    searchUsers: (identifiers, read, signal) => searchUsers(parts, identifiers, read, signal),
    async readAccount(account, signal) {
      const call = requests.account(account);
      if (!call.ok) return call;
      const reply = await caller.read(call.value, signal);
      if (!reply.ok) return reply;
      const { answer, body } = reply.value;
      const decoded = decodeAccount(reshape.account(body), account);
      return decoded.ok ? success(decoded.value) : problem(caller.misread(answer, call.value, decoded.error));
    },
    async createUser(account, user, team, signal, announced) {
      const call = requests.createUser(account, user, team);
      if (!call.ok) return { outcome: "failed", failure: call.error };
      const decode = ({ answer: { status, headers }, body }: Reply) => {
        const [location, date] = [headers.get("location"), headers.get("date")];
        return decodeCreatedUser({ status, location, date, body: reshape.createdUser(body) }, team?.name);
      };
      return caller.write({ ...call.value, announced }, { decode, isDone: showsCreatedUser }, signal);
    },
    async addMembers(team, identifiers, signal, announced) {
      const call = requests.addMembers(team, identifiers);
      if (!call.ok) return { outcome: "failed", failure: call.error };
      const decode = ({ body }: Reply) => decodeAddedMembers(reshape.addedMembers(body));
      const isDone = ({ members }: AddMembersResponse) =>
        members.length > 0 && members.every(({ keys }) => keys?.are === "named");
      const write = await caller.write({ ...call.value, announced }, { decode, isDone }, signal);
      if (write.outcome !== "done") return write;
      // What the service says of one person who was not added are its own words, as those of a refusal are.
      const members = write.value.members.map((one) =>
        one.failure === undefined ? one : { ...one, failure: caller.cleanBesideKeys(one.failure) },
      );
      return { ...write, value: { ...write.value, members } };
    },
    async replaceRoles(prefix, roles, signal, announced) {
      const call = requests.replaceRoles(prefix, roles);
      if (!call.ok) return { outcome: "failed", failure: call.error };
      const decode = ({ body }: Reply) => decodeReplacedRoles(reshape.replacedRoles(body), roles);
      return caller.write({ ...call.value, announced }, { decode, isDone: () => false }, signal);
    },
  };
}

const largestAnswer = 64 * 1024 * 1024;

interface HttpAccountServiceOptions extends AccountServiceOptions {
  /** Connections at once. */
  readonly parallelism: number;
  /** Through which proxy, and trusting which authorities. */
  readonly way?: NetworkOptions;
  /** What carries the calls; over HTTP where it is absent. */
  readonly openTransport?: OpenTransport;
}

/** The account service over HTTP. Opens no connection before the first call. */
export function httpAccountService(options: HttpAccountServiceOptions): AccountService & { close(): Promise<void> } {
  const { origin } = baseAddress(options.endpoint);
  const { clock, parallelism: connections, way, openTransport: open = openTransport } = options;
  const transport = open({ origin, connections, timeout: callTimeout, largestAnswer, clock, ...way });
  // Its parts are read as they are now, and would be copied as they were.
  return Object.assign(accountServiceClient(transport, options), { close: () => transport.close() });
}

export type OpenTransport = (options: OriginOptions) => Transport;

/** Over HTTP. Opens no connection before the first call. */
export function openTransport(options: OriginOptions): Transport {
  const origin = openOrigin(options);
  return {
    send({ method, path, body, effect, announced }, key, signal) {
      const request = { method, path, headers: headersOf(key, body), ...definedFields({ body }) };
      if (effect === "read") return origin.send({ ...request, onceSent: "cut-off" }, signal);
      const leaves = { within: timeLeft, since: announced ?? momentOf(options.clock) };
      return origin.send({ ...request, onceSent: "let-end", leaves }, signal);
    },
    close: () => origin.close(),
  };
}

/** The headers of each request, apart from those that HTTP adds. */
export function headersOf(key: string, body: string | undefined): Record<string, string> {
  return {
    authorization: `ApiKey ${key}`,
    accept: "application/json",
    ...(body === undefined ? {} : { "content-type": "application/json" }),
  };
}
