import { type DriftItem, documentOf } from "./run-document.ts";

/** Nobody manages the administrator of the reference service. */
const itself = "user root@reference.example";

/** What a document in JSON plans, does and tells, a line for each kind of thing. */
export function toldByDocument(stdout: string): readonly string[] {
  const { actions = [], findings = [], run, drift, diagnostics = [], error } = documentOf({ stdout });
  const place = new Map(actions.map(({ id }, index) => [id, index]));
  const placeOf = ({ action }: { readonly action: string }) => place.get(action) ?? 0;
  const outcomes = (run?.outcomes ?? []).toSorted((one, other) => placeOf(one) - placeOf(other));
  const isDone = ({ outcome }: { readonly outcome: string }) => outcome === "succeeded" || outcome === "unneeded";
  const items = (drift?.items ?? []).filter(({ subject }) => subject !== itself);
  const kinds = {
    planned: run === undefined && drift === undefined ? actions.map(({ id }) => id) : [],
    did: outcomes.filter(({ outcome }) => outcome === "succeeded").map(({ action }) => action),
    left: outcomes
      .filter((one) => !isDone(one))
      .map(({ action, outcome, why, failure }) => [outcome, action, why ?? failure?.code].join(" ").trim()),
    told: [...(drift === undefined ? findings : []), ...(run?.findings ?? [])].map(
      ({ blocking, code, subject }) => `${blocking ? "!" : ""}${code} ${subject}`,
    ),
    differs: items.map(itemLine),
    tasks: Object.entries({ open: 0, new: 0, closed: 0, ...drift?.tasks }).flatMap(([kind, count]) =>
      typeof count === "number" && count > 0 ? [`${count} ${kind}`] : [],
    ),
    "privileged gains": drift !== undefined && drift.privileged_gains > 0 ? [drift.privileged_gains] : [],
    wrong: diagnostics.map(({ code }) => code),
  };
  const lines = Object.entries(kinds).map(([kind, things]) =>
    things.length === 0 ? "" : `${kind}: ${things.join(", ")}`,
  );
  return [...lines, error ? `error: ${error.code}` : ""].filter((line) => line !== "");
}

function itemLine({ class: of, code, subject, counts, since, accepted, outside }: DriftItem): string {
  const more = [
    ...(outside ?? []).map(({ is, privileged }) => [is, ...privileged].join(" ")),
    ...(counts === "nothing" ? ["counts for nothing"] : []),
    ...(since ? ["known"] : []),
    ...(accepted ? [`accepted, ${accepted.is}`] : []),
  ];
  return `${of} ${code} ${subject}${more.length === 0 ? "" : ` (${more.join(", ")})`}`;
}
