import { decodeState, encodeState } from "../../codec/state.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { emptyState, type State } from "../../model/state.ts";
import type { HttpResponse } from "../../ports/http-client.ts";
import { isPage, type StateRequest, serverFailure, unexpected, whoHolds } from "./failure.ts";
import { holderShown, type LockDocument } from "./lock.ts";
import { hadNoVerdict, md5, type ServerPorts, type ServerReply, sendWithRetries, wasNotTaken } from "./requests.ts";

/** The state that the server keeps; one without a lineage where it keeps none yet. */
export async function readState(ports: ServerPorts): Promise<Result<State, Failure>> {
  const { place } = ports;
  const reply = await sendWithRetries(ports, { route: place.read, mayFollow: hadNoVerdict });
  const asked: StateRequest = { place, route: place.read, doing: "read" };
  if (!reply.ok) return problem(unexpected(asked, reply));
  const text = textOf(reply.value);
  if (text === undefined) return problem(unexpected(asked, reply));
  if (text === "") return success(emptyState(""));
  const strange = strangeText(reply.value);
  if (strange !== undefined) return problem(serverFailure(asked, strange));
  return decodeState(text, place.shown);
}

/** The body of an answer that holds a state, empty where there is none yet; undefined for any other answer. */
function textOf(answer: HttpResponse): string | undefined {
  if (isPage(answer)) return undefined;
  if (answer.status === 204 || answer.status === 404) return "";
  return answer.status === 200 ? answer.body : undefined;
}

function strangeText({ headers, body }: HttpResponse): { readonly why: string; readonly hint: string } | undefined {
  const digest = headers.get("content-md5");
  if (digest !== undefined && digest !== md5(body)) {
    return {
      why: "what the state server sent is not what it says the digest is of: it was damaged",
      hint: "run again; if it stays so, restore the state at the state server from an earlier version",
    };
  }
  if (!isTerraformState(body)) return undefined;
  return {
    why: "there is a state of Terraform at this address",
    hint: "give roster an address of its own, such as another name in the place of the last part of the path",
  };
}

const terraformKeys = ["terraform_version", "resources"];

function isTerraformState(text: string): boolean {
  // A state of roster holds these words only where somebody is named so: the text is read twice only then.
  if (!terraformKeys.some((key) => text.includes(`"${key}"`))) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && terraformKeys.some((key) => Object.hasOwn(value, key));
  } catch {
    return false;
  }
}

/**
 * Puts a state in the place of the one that is kept, under the ID of our lock: the server refuses any other ID, and
 * that is all the fencing that this protocol has. A write of which no answer tells is looked for by reading and never
 * sent again: what is still on its way could come to lie over what is written after it.
 */
export async function writeState(
  ports: ServerPorts,
  lock: LockDocument,
  { text, state }: { readonly text: string; readonly state: State },
): Promise<Result<void, Failure>> {
  const { place } = ports;
  const url = new URL(place.update.url);
  url.searchParams.set("ID", lock.ID);
  const route = { method: place.update.method, url };
  const asked: StateRequest = { place, route, doing: "written" };
  const reply = await sendWithRetries(ports, { route, body: text, mayFollow: wasNotTaken });
  if (isWritten(reply)) return success(undefined);
  if (reply.ok && isRefusal(reply.value)) return problem(refused(asked, reply.value, lock));
  if (!reply.ok && !reply.error.sent) return problem(unexpected(asked, reply));
  return (await isKept(ports, state)) ? success(undefined) : problem(unexpected(asked, reply));
}

function isWritten(reply: ServerReply): boolean {
  return reply.ok && !isPage(reply.value) && [200, 201, 204].includes(reply.value.status);
}

function isRefusal({ status }: HttpResponse): boolean {
  return status >= 400 && status < 500 && status !== 408;
}

function refused(asked: StateRequest, answer: HttpResponse, lock: LockDocument): Failure {
  if (![409, 412, 423].includes(answer.status)) return unexpected(asked, { ok: true, value: answer });
  const holder = holderShown(answer.body, lock);
  const other = holder === undefined || holder.id === lock.ID ? "" : `: it is held by ${whoHolds(holder)}`;
  return serverFailure(asked, {
    why: `this run does not hold the lock any more${other}`,
    hint: "somebody has broken the lock of this run; see that only one run is under way, and run again",
  });
}

/** Whether the server keeps what was sent: the same, or the same written in another way. */
async function isKept(ports: ServerPorts, state: State): Promise<boolean> {
  for (const pause of pauses) {
    await ports.clock.wait(pause);
    const read = await readState(ports);
    if (read.ok && encodeState(read.value) === encodeState(state)) return true;
    if (read.ok && read.value.serial >= state.serial) return false;
  }
  return false;
}

const pauses = [0, 500, 1500, 3000];
