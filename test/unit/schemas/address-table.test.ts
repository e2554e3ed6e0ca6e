import { expect, test } from "vitest";
import { type AddressRow, addressTable } from "../../support/address-table.ts";
import { acceptedBySchema } from "../../support/roster-schema.ts";
import { rosterFrom } from "../../support/roster-text.ts";
import { runningServer } from "../reference-server/running-server.ts";

type Verdict = AddressRow["verdict"];

function named(address: string): object {
  return { email: address, firstName: "Ada", lastName: "Lovelace" };
}

function validated(document: object): Verdict {
  const { roster, diagnostics } = rosterFrom(
    { "f.yaml": JSON.stringify(document) },
    { account: "acc-1", newUsers: "checked" },
  );
  const codes = diagnostics.map(({ code }) => code);
  if (codes.includes("bad-value")) return "no-address";
  if (diagnostics.some(({ message }) => message.endsWith(": its domain has no dot."))) return "single-label";
  if (diagnostics.some(({ code, severity }) => code === "unsafe-address" && severity === "error")) return "refused";
  expect(roster?.users.size).toBe(1);
  return codes.includes("unsafe-address") ? "warned" : "created";
}

const mayBeCreated = (verdict: Verdict) => verdict !== "refused" && verdict !== "no-address";

test("the table has at least sixty addresses, each once", () => {
  expect(addressTable.length).toBeGreaterThanOrEqual(60);
  expect(new Set(addressTable.map(({ address }) => address)).size).toBe(addressTable.length);
});

test.each(addressTable)("$address: validate, the editor and the reference server agree ($verdict)", async (row) => {
  const document = { version: 1, users: [named(row.address)] };
  const server = await runningServer();
  const { status } = await server.call("POST", "/api/accounting/accounts/acc-1/users", named(row.address));
  expect({ validate: validated(document), editor: acceptedBySchema(document), server: status }).toEqual({
    validate: row.verdict,
    editor: mayBeCreated(row.verdict) || row.unseenByEditor !== undefined,
    server: mayBeCreated(row.verdict) ? 201 : 400,
  });
});

test.each(addressTable)("$address stays nameable ($verdict) where somebody may be there", ({ address, verdict }) => {
  const isNameable = verdict !== "no-address";
  const documents = [
    { version: 1, leavers: [{ email: address }] },
    { version: 1, users: [{ ...named("x@acme.example"), previously: [address] }] },
    { version: 1, users: [{ ...named("x@acme.example"), distinctFrom: [address] }] },
    { version: 1, users: [{ ...named(address), key: "jU7q896uSReJcXXDOS6P" }] },
  ];
  for (const document of documents) {
    const { diagnostics } = rosterFrom(
      { "f.yaml": JSON.stringify(document) },
      { account: "acc-1", newUsers: "checked" },
    );
    const errors = diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code);
    expect({ accepted: acceptedBySchema(document), errors: new Set(errors) }).toEqual({
      accepted: isNameable,
      errors: new Set(isNameable ? [] : ["bad-value"]),
    });
  }
});
