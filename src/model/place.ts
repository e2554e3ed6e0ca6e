/** A place in a roster file. Lines and columns count from 1, columns in UTF-16 units. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export function formatPlace(place: Place): string {
  return `${place.file}:${place.line}:${place.column}`;
}

/** A value together with the place that declares it. */
export interface Located<T> {
  readonly value: T;
  readonly place: Place;
}
