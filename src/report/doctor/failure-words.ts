import type { Failure } from "../../model/result.ts";

/** What came in place of an answer that could be used. */
export function describeFailure({ message, status, serviceSays }: Failure): string {
  const said = serviceSays === undefined ? "" : `; the service says: ${serviceSays}`;
  const withStatus = status === undefined || message.includes(String(status)) ? message : `${message} (${status})`;
  return `${withStatus}${said}`;
}

/** What to do about it. */
export function suggestFix({ code, hint }: Failure): string {
  if (hint !== undefined) return `${hint}.`;
  switch (code) {
    case "unauthorized":
      return "The service does not accept the key: check that it is complete and active.";
    case "forbidden":
      return "The key may not do this: use the key of a Platform Administrator, or of an Account Administrator of this account.";
    case "not-found":
      return "The service does not know this: check the address, or the identifier that was asked for.";
    case "throttled":
      return "The service asks to come back later: try again in a while.";
    default:
      return "Without this, no plan can be made.";
  }
}
