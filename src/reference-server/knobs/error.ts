import { choice } from "./knob.ts";

export const error = choice("What the body of a refusal is.", "X1", {
  X1: "statusCode, status, message, reportErrorUrl",
  X2: "Spring's timestamp, status, error, message (empty), path",
  X3: "application/problem+json: type, title, status, detail, errors",
  X4: "error{code, message}",
  X5: "errorMessage",
  X6: "SCIM's schemas, scimType, status (as text), detail",
  X7: "a page of HTML",
  X8: "empty",
  X9: "plain text",
  X10: "success false, data null, error{code, message}",
});
