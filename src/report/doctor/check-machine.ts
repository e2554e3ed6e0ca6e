import type { DoctorCheck, DoctorObservations } from "./seen.ts";

/** The day after which a major version of Node gets no more security updates. */
const endOfLife: ReadonlyMap<number, string> = new Map([
  [20, "2026-04-30"],
  [22, "2027-04-30"],
  [24, "2028-04-30"],
]);

export function checkNode({ node, now }: DoctorObservations): readonly DoctorCheck[] {
  const major = Number(/^v?(\d+)\./u.exec(node)?.[1]);
  const end = endOfLife.get(major);
  const asked = "the Node that runs roster";
  if (end === undefined || now <= Date.parse(`${end}T23:59:59Z`)) {
    const until = end === undefined ? "" : ` It gets security updates until ${end}.`;
    return [{ check: "node", mark: "ok", asked, came: node, means: `roster runs on it.${until}` }];
  }
  const means = `roster runs on it, but Node ${major} gets no security updates since ${end}: install Node 24.`;
  return [{ check: "node", mark: "notice", asked, came: node, means }];
}

/** Told only where it is not the usual way. */
export function checkConnection({ way }: DoctorObservations): readonly DoctorCheck[] {
  const { proxy, authorities } = way ?? {};
  if (proxy === undefined && authorities === undefined) return [];
  const came = proxy === undefined ? "directly" : `through the proxy ${proxy}`;
  const means = [
    ...(proxy === undefined ? [] : ["The proxy is told the service's host and port, and sees no request and no key."]),
    ...(authorities === undefined ? [] : [`Certificates of the authorities in ${authorities} are accepted too.`]),
  ];
  return [{ check: "way", mark: "ok", asked: "the way to the service", came, means: means.join(" ") }];
}

const maxClockSkew = 5;

/** Waiting for what was done a moment ago, and certificates, rest on clocks that agree. */
export function checkClock({ answers }: DoctorObservations): readonly DoctorCheck[] {
  const asked = "the service's clock, by the Date of its answers";
  const skews = answers.flatMap(({ at, date }) => {
    const time = Date.parse(date ?? "");
    return Number.isNaN(time) ? [] : [Math.round((time - at) / 1000)];
  });
  const [skew] = skews.sort((a, b) => Math.abs(a) - Math.abs(b));
  if (skew === undefined) {
    if (answers.length === 0) return [];
    const means = "Whether the clocks agree is not known; roster does not depend on it.";
    return [{ check: "clock", mark: "ok", asked, came: "no date", means }];
  }
  const isFar = Math.abs(skew) > maxClockSkew;
  const came = skew === 0 ? "the same time as here" : `${Math.abs(skew)} s ${skew > 0 ? "ahead" : "behind"}`;
  const means = isFar
    ? "One of the two clocks is wrong: times in the state and in the service's own records do not compare. Set this machine's clock."
    : "The clocks agree.";
  return [{ check: "clock", mark: isFar ? "notice" : "ok", asked, came, means }];
}
