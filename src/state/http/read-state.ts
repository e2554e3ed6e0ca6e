import { decodeState } from "../../codec/state-format.ts";
import type { Failure } from "../../model/failure.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { emptyState, type State } from "../../model/state.ts";
import type { HttpResponse } from "../../ports/http-client.ts";
import { hadNoVerdict, md5, type ServerPorts, sendWithRetries } from "./requests.ts";
import { isPage, type StateRequest, serverFailure, unexpected } from "./server-failure.ts";

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
