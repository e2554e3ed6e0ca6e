import { choice, count, triggers } from "./knob.ts";

export const faultKnobs = {
  // What befalls requests and answers on their way.
  basePath: choice("Under which path the routes of the service are served.", "root", {
    root: "/api/accounting/…",
    modzy: "/modzy/api/accounting/…, and nowhere else",
  }),
  maxBodyBytes: count("Bytes of a request body at the most; a larger one is refused with 413.", 1024 * 1024),
  latencyMs: count("Milliseconds that every answer takes at least.", 0),
  flaky: triggers("Which requests are refused before anything is done; `flakyStatus` and `retryAfter` say how."),
  throttleAfterEffect: triggers(
    "Which requests are served, and then refused as too many: with `flakyStatus` where it is 429, 403 or 503, else with 429; and always with Retry-After.",
  ),
  flakyStatus: choice("With which status a flaky request is refused.", "503", {
    "503": "503",
    "429": "429",
    "403": "403, with a message of a rate limit",
    "401": "401, as if the key had been deactivated meanwhile",
    "400": "400, as of a service that is not ready yet",
    "408": "408",
    "500": "500",
    "502": "502",
    "504": "504",
  }),
  retryAfter: choice("What Retry-After a flaky request is refused with.", "seconds", {
    seconds: "`retryAfterSeconds` as a number",
    date: "that time as an HTTP date",
    none: "none",
  }),
  retryAfterSeconds: count("The seconds of `retryAfter`, and of the Retry-After of an answer with 202.", 1),
  crossedAnswer: triggers(
    "Which writes are done, and answered with the answer of the last write to the same route that was done before.",
  ),
  dropResponse: triggers(
    "Which requests are served, and their answers are lost; `dropResponseAs` says what comes in their place.",
  ),
  dropResponseAs: choice("What comes in the place of an answer that is lost.", "reset", {
    reset: "the end of the connection",
    "502": "502, a page of HTML from something in between",
    "504": "504, a page of HTML from something in between",
  }),
  hang: triggers("Which requests are served and never answered; the connection stays open."),
  hangBody: triggers("Which requests are served and answered by headers and half a body, and then nothing more."),
  reset: triggers("Which requests meet the end of their connection before anything is done."),
  html200: triggers("Which requests get the page of a login in HTML, with status 200, before anything is done."),
  redirect: triggers(
    "Which requests are sent elsewhere before anything is done; `redirectStatus` and `redirectTo` say how and where.",
  ),
  redirectStatus: choice("With which status requests are sent elsewhere.", "301", {
    "301": "301",
    "302": "302",
    "303": "303",
    "307": "307",
    "308": "308",
  }),
  redirectTo: choice("Where requests are sent that are sent elsewhere.", "same", {
    same: "to the same path under /moved at this origin, where they are served",
    other: "to the same path under /moved at another origin, which leads to this server under its other name",
  }),
};
