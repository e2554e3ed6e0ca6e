import type { NetworkOptions } from "../http/connection.ts";
import { type OriginOptions, openOrigin } from "../http/origin.ts";
import { callTimeout, timeLeft } from "../model/capabilities.ts";
import { problem, success } from "../model/result.ts";
import { definedFields } from "../model/role-set.ts";
import type { AccountService, AddMembersResponse } from "../ports/account-service.ts";
import { momentOf } from "../ports/clock.ts";
import { decodeReplacedRoles } from "./decode/key.ts";
import { UnreadFields } from "./decode/unread-fields.ts";
import { decodeAccount } from "./decode/user.ts";
import {
  type CreationAnswer,
  decodeAddedMembers,
  decodeCreatedUser,
  showsCreatedUser,
} from "./decode/write-answers.ts";
import { listAccounts, listRoles, listUsers, UserSearch } from "./lists.ts";
import { nothingLearned, pagingShown } from "./page-walk.ts";
import { baseAddress, Requests } from "./requests.ts";
import type { CallerPorts } from "./retry.ts";
import { Caller, type Reply, type ServiceParts, type Transport } from "./retry.ts";
import { type Reshape, reshapeBy, type Shapes } from "./shapes.ts";

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
  const { prefix, address } = baseAddress(options.endpoint);
  const { key, clock, randomness, trace, watch, mayStart, parallelism = 1 } = options;
  const observers = definedFields({ trace, watch, mayStart });
  const caller = new Caller({ transport, clock, randomness, key, ...observers });
  const requests = new Requests(prefix);
  const learned = nothingLearned();
  const unread = new UnreadFields();
  const reshape = reshapeBy(options.shapes ?? {});
  const parts: ServiceParts = { caller, clock, parallelism, requests, reshape, learned, unread };
  const users = new UserSearch(parts);
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
    searchUsers: (identifiers, read, signal) => users.search(identifiers, read, signal),
    ...accountReading(parts),
    ...writing(parts),
  };
}

function accountReading({ caller, requests, reshape }: ServiceParts): Pick<AccountService, "readAccount"> {
  return {
    async readAccount(account, signal) {
      const call = requests.account(account);
      if (!call.ok) return call;
      const reply = await caller.read(call.value, signal);
      if (!reply.ok) return reply;
      const decoded = decodeAccount(reshape.account(reply.value.body), account);
      if (decoded.ok) return success(decoded.value);
      return problem(caller.misread(reply.value.answer, call.value, decoded.error));
    },
  };
}

function writing({
  caller,
  requests,
  reshape,
}: ServiceParts): Pick<AccountService, "createUser" | "addMembers" | "replaceRoles"> {
  return {
    async createUser(account, user, team, signal, announced) {
      const call = requests.createUser(account, user, team);
      if (!call.ok) return { outcome: "failed", failure: call.error };
      const decode = (reply: Reply) => decodeCreatedUser(creationAnswer(reply, reshape), team?.name);
      return caller.write({ ...call.value, announced }, { decode, isDone: showsCreatedUser }, signal);
    },
    async addMembers(team, identifiers, signal, announced) {
      const call = requests.addMembers(team, identifiers);
      if (!call.ok) return { outcome: "failed", failure: call.error };
      const decode = ({ body }: Reply) => decodeAddedMembers(reshape.addedMembers(body));
      const isDone = ({ members }: AddMembersResponse) =>
        members.length > 0 && members.every(({ keys }) => keys?.are === "named");
      const write = await caller.write({ ...call.value, announced }, { decode, isDone }, signal);
      return write.outcome === "done" ? { ...write, value: withCleanFailures(write.value, caller) } : write;
    },
    async replaceRoles(prefix, roles, signal, announced) {
      const call = requests.replaceRoles(prefix, roles);
      if (!call.ok) return { outcome: "failed", failure: call.error };
      const decode = ({ body }: Reply) => decodeReplacedRoles(reshape.replacedRoles(body), roles);
      return caller.write({ ...call.value, announced }, { decode, isDone: () => false }, signal);
    },
  };
}

/** What the service says of one person who was not added are its own words, as those of a refusal are. */
function withCleanFailures({ members, ...rest }: AddMembersResponse, caller: Caller): AddMembersResponse {
  return {
    ...rest,
    members: members.map((one) =>
      one.failure === undefined ? one : { ...one, failure: caller.cleanBesideKeys(one.failure) },
    ),
  };
}

function creationAnswer({ answer, body }: Reply, reshape: Reshape): CreationAnswer {
  const { status, headers } = answer;
  const [location, date] = [headers.get("location"), headers.get("date")];
  return { status, location, date, body: reshape.createdUser(body) };
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

/** Over HTTP. Opens no connection before the first call. @internal */
export function openTransport(options: OriginOptions): Transport {
  const origin = openOrigin(options);
  return {
    send: ({ method, path, body, effect, announced }, key, signal) =>
      origin.send(
        {
          method,
          path,
          headers: headersOf(key, body),
          ...(effect === "write"
            ? ({
                onceSent: "let-end",
                leaves: { within: timeLeft, since: announced ?? momentOf(options.clock) },
              } as const)
            : ({ onceSent: "cut-off" } as const)),
          ...(body === undefined ? {} : { body }),
        },
        signal,
      ),
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
