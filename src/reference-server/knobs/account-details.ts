import { choice } from "./knob.ts";

export const accountDetails = choice("How the details of an account come.", "A1", {
  A1: "identifier, name, status, users[objects]",
  A2: "as A1, with the addresses of users in place of objects",
  "A2-identifiers": "as A1, with the identifiers of users in place of objects",
  A3: "as A1, with the users as a Spring page (content, totalElements and so on)",
  "A3-truncated": "as A1, with userCount and the first ten users alone",
  A4: "a list of one: the details as in A1",
  A5: "account{details as in A1}",
  "A5-data": "data{details as in A1}",
  "no-users": "identifier, name, status",
});
