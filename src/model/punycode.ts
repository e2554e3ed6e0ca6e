// The encoding of RFC 3492, with its names and numbers.
const [base, tMin, tMax, skew, damp, initialBias, initialN] = [36, 1, 26, 38, 700, 72, 128];

/** A text as ASCII, so that no two texts come to the same: the part of a domain's name after `xn--`. */
export function punycode(text: string): string {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const basic = points.filter((point) => point < initialN);
  const output = basic.map((point) => String.fromCharCode(point));
  if (basic.length > 0) output.push("-");
  let [n, delta, bias, handled] = [initialN, 0, initialBias, basic.length];
  while (handled < points.length) {
    const next = points.reduce(
      (least, point) => (point >= n && point < least ? point : least),
      Number.POSITIVE_INFINITY,
    );
    delta += (next - n) * (handled + 1);
    n = next;
    for (const point of points) {
      if (point < n) delta += 1;
      if (point !== n) continue;
      output.push(...variableLength(delta, bias));
      bias = adapted(delta, handled + 1, handled === basic.length ? damp : 2);
      delta = 0;
      handled += 1;
    }
    delta += 1;
    n += 1;
  }
  return output.join("");
}

/** A number of so many digits as it needs, the last of which says that it is the last. */
function variableLength(delta: number, bias: number): readonly string[] {
  const digits: string[] = [];
  let rest = delta;
  for (let k = base; ; k += base) {
    const t = Math.min(tMax, Math.max(tMin, k - bias));
    if (rest < t) return [...digits, digit(rest)];
    digits.push(digit(t + ((rest - t) % (base - t))));
    rest = Math.floor((rest - t) / (base - t));
  }
}

function adapted(delta: number, points: number, divisor: number): number {
  let rest = Math.floor(delta / divisor);
  rest += Math.floor(rest / points);
  let k = 0;
  for (; rest > ((base - tMin) * tMax) / 2; k += base) rest = Math.floor(rest / (base - tMin));
  return k + Math.floor(((base - tMin + 1) * rest) / (rest + skew));
}

function digit(value: number): string {
  return String.fromCharCode(value < 26 ? value + 0x61 : value - 26 + 0x30);
}
