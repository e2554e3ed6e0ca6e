import { type Refusal, refuse } from "../reply.ts";
import { choice, type ValueOf } from "./knob.ts";

export const flakyStatus = choice("With which status a flaky request is refused.", "503", {
  "503": "503",
  "429": "429",
  "403": "403, with a message of a rate limit",
  "401": "401, as if the key had been deactivated meanwhile",
  "400": "400, as of a service that is not ready yet",
  "408": "408",
  "500": "500",
  "502": "502",
  "504": "504",
});

export function refuseFlaky(status: ValueOf<typeof flakyStatus>): Refusal {
  return refuse(Number(status), messages[status]);
}

const messages: Readonly<Record<ValueOf<typeof flakyStatus>, string>> = {
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
