import type { Knobs } from "../knobs.ts";
import { type Refusal, refuse } from "../reply.ts";

export function refuseAsFlaky(status: Knobs["flakyStatus"]): Refusal {
  return refuse(Number(status), flakyMessages[status]);
}

const flakyMessages: Readonly<Record<Knobs["flakyStatus"], string>> = {
  "503": "The service is busy",
  "429": "Too many requests",
  "403": "You have exceeded a secondary rate limit",
  "401": "The API key does not work: its status is not active",
  "400": "The service is not ready",
  "408": "The request took too long",
  "500": "Something went wrong",
  "502": "The service behind gave no answer",
  "504": "The service behind did not answer in time",
};
