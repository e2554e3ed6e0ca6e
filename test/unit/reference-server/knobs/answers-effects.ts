import { expect } from "vitest";
import { account, create, reference, refused, search, user } from "./answered.ts";
import { type EffectsOf, effect, people, type Service } from "./effect.ts";

const [p1, p2] = [user("p1"), user("p2")];
const details = async ({ get }: Service) => (await get("/accounts/acc-1")).body;
const everybody = [1, 2, 3, 4, 5].map((n) => reference(`p${n}`, `u-${n}`)).concat(reference("root", "u-6"));
/** An answer to a path that leads nowhere. */
const refusal = async ({ get }: Service) => {
  const { status, headers, body } = await get("/accounts/acc-9");
  return [status, headers.get("content-type"), body];
};
const jsonType = "application/json; charset=utf-8";
const message = 'The account "acc-9" was not found';

export const answersEffects: EffectsOf<"accountDetails" | "search" | "error" | "errorStatus"> = {
  accountDetails: {
    A1: effect(details, { ...account, users: everybody }),
    A2: effect(details, { ...account, users: everybody.map(({ email }) => email) }),
    "A2-identifiers": effect(details, { ...account, users: everybody.map(({ identifier }) => identifier) }),
    A3: effect(details, {
      ...account,
      users: expect.objectContaining({ content: everybody, totalElements: 6, last: true }),
    }),
    "A3-truncated": effect(
      async (service) => {
        const body = (await details(service)) as { userCount: number; users: unknown[] };
        return [body.userCount, people(body.users).length];
      },
      [13, 10],
      {
        seed: {
          users: Array.from({ length: 12 }, (_, n) => ({ email: `n${n}@x.example`, firstName: "N", lastName: "X" })),
        },
      },
    ),
    A4: effect(details, [{ ...account, users: everybody }]),
    A5: effect(details, { account: { ...account, users: everybody } }),
    "A5-data": effect(details, { data: { ...account, users: everybody } }),
    "no-users": effect(details, account),
  },
  search: {
    S1: effect(search("u-2", "x", "u-1"), [200, [p2, p1]]),
    S2: effect(search("u-2", "x", "u-1"), [200, { items: [p2, p1], total: 2 }], { beside: { envelope: "L5" } }),
    S3: effect(search("u-2", "x"), [200, { "u-2": p2, x: null }]),
    S4: effect(search("u-2", "x", "u-1"), [200, [p2, null, p1]]),
    S5: effect(
      async (service) => [await search("x")(service), await search("u-1")(service)],
      [
        [404, expect.anything()],
        [200, [p1]],
      ],
    ),
    S6: effect(search("u-2", "x"), [200, { found: [p2], notFound: ["x"] }]),
    S7: effect(
      async (service) => [await search("u-1")(service), await search("u-1", "u-2")(service)],
      [
        [200, p1],
        [200, [p1, p2]],
      ],
    ),
  },
  error: {
    X1: effect(refusal, [
      404,
      jsonType,
      { statusCode: 404, status: "Not Found", message, reportErrorUrl: "http://here/reference/requests" },
    ]),
    X2: effect(refusal, [
      404,
      jsonType,
      {
        timestamp: "2026-11-20T00:00:00.000+00:00",
        status: 404,
        error: "Not Found",
        message: "",
        path: "/api/accounting/accounts/acc-9",
      },
    ]),
    X3: effect(refusal, [
      404,
      "application/problem+json",
      {
        type: "about:blank",
        title: "Not Found",
        status: 404,
        detail: message,
        errors: [{ pointer: "#", detail: message }],
      },
    ]),
    X4: effect(refusal, [404, jsonType, { error: { code: "not_found", message } }]),
    X5: effect(refusal, [404, jsonType, { errorMessage: message }]),
    X6: effect(create({ email: "p1@acme.example" }), [
      409,
      {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
        scimType: "uniqueness",
        status: "409",
        detail: 'A user with the email "p1@acme.example" is there already',
      },
    ]),
    X7: effect(refusal, [404, "text/html; charset=utf-8", expect.stringContaining("<h1>404 Not Found</h1>")]),
    X8: effect(refusal, [404, null, ""]),
    X9: effect(refusal, [404, "text/plain; charset=utf-8", message]),
    X10: effect(refusal, [404, jsonType, { success: false, data: null, error: { code: "not_found", message } }]),
  },
  errorStatus: {
    own: effect(refusal, [404, jsonType, refused(message)]),
    "200": effect(refusal, [200, jsonType, refused(message)]),
  },
};
