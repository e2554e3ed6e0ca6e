import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeSettings } from "../../src/cli/settings/setting-table.ts";
import { decodeFleet } from "../../src/fleet/fleet-file.ts";
import type { Diagnostic } from "../../src/model/failure.ts";
import { readSeed } from "../../src/reference-server/read-seed.ts";
import { readGeneral } from "../../src/yaml/general.ts";
import { always } from "../support/always.ts";
import { changeOf, completeDocuments, everyChangeOf, type Json, partOf } from "../support/arbitrary-documents.ts";
import { oneIn, runs } from "../support/property-runs.ts";
import { rosterFrom } from "../support/roster-text.ts";
import { validatorOf } from "../support/schema-validators.ts";

interface Format {
  readonly complete: Json;
  readonly diagnose: (text: string) => readonly Diagnostic[];
  /** Codes of what a schema cannot say: references, things that are given twice, and what another part of the format makes right. */
  readonly beyondSchema: readonly string[];
  /** What a schema says of these codes all the same. */
  readonly inSchema?: RegExp;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

const formats: Readonly<Record<string, Format>> = {
  roster: {
    complete: completeDocuments.roster,
    diagnose: (text) => {
      const settings = { account: "a", accounts: new Map<string, string>(), newUsers: "checked" } as const;
      const { diagnostics } = rosterFrom({ "f.yaml": text }, settings);
      return diagnostics.filter(({ message }) => !message.endsWith(": its domain has no dot."));
    },
    beyondSchema: ["unknown-name", "duplicate", "contradiction", "conflicting-roles", "leaver-in-use", "not-a-member"],
    inSchema: /`onRemoval` has no effect/u,
  },
  settings: {
    complete: completeDocuments.settings,
    diagnose: (text) => {
      const decoded = decodeSettings(readGeneral("roster.config.yaml", bytesOf(text)));
      return decoded.ok ? [] : decoded.error;
    },
    beyondSchema: [],
  },
  fleet: {
    complete: completeDocuments.fleet,
    diagnose: (text) => {
      const decoded = decodeFleet(readGeneral("fleet.yaml", bytesOf(text)));
      return decoded.ok ? [] : decoded.error;
    },
    beyondSchema: [],
  },
  seed: {
    complete: completeDocuments.seed,
    diagnose: (text) => readSeed("seed.yaml", bytesOf(text)).diagnostics,
    beyondSchema: ["duplicate", "unknown-name"],
  },
};

describe.each(Object.entries(formats))("the schema and the decoder of a %s file", (name, format) => {
  const isAccepted = validatorOf(name);
  const diagnose = (document: Json) => format.diagnose(JSON.stringify(document));
  const isBeyondSchema = ({ code, message }: Diagnostic) =>
    format.beyondSchema.includes(code) && format.inSchema?.test(message) !== true;
  const errorsOf = (diagnostics: readonly Diagnostic[]) =>
    diagnostics.flatMap((one) =>
      one.severity === "warning" || isBeyondSchema(one) ? [] : [`${one.code}: ${one.message}`],
    );

  const accepted = new Set<string>();
  const refused = new Set<string>();
  const expectAgreement = (document: Json) => {
    if (typeof document !== "object" || document === null || Array.isArray(document)) return;
    const isValid = isAccepted(document);
    (isValid ? accepted : refused).add(JSON.stringify(document));
    const diagnostics = diagnose(document);
    // A key elsewhere, or a day that has come, says of somebody with an unusual address that the service knows them.
    if (!isValid && diagnostics.some(({ code }) => code === "unusual-address")) return;
    if (isValid === (errorsOf(diagnostics).length === 0)) return;
    expect({ document, errors: errorsOf(diagnostics) }).toEqual(isValid ? "a valid document" : "an invalid document");
  };

  test("agree on a part of a file, and on one with a change", () => {
    const some = partOf(format.complete).filter((document) => isAccepted(document));
    always({ numRuns: runs(3600, 20) }, fc.oneof(some, { weight: 3, arbitrary: changeOf(some) }), expectAgreement);
  });

  test("agree on every single change of a file that has every key", () => {
    expect([isAccepted(format.complete), errorsOf(diagnose(format.complete))]).toEqual([true, []]);
    for (const document of oneIn(19, everyChangeOf(format.complete))) expectAgreement(document);
  });

  test("have met many different files", () => {
    expect(accepted.size).toBeGreaterThan(100);
    expect(refused.size).toBeGreaterThan(200);
  });
});
