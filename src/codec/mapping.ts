import { byCodeUnit } from "../model/collections.ts";
import { type RoleSet, roleSet } from "../model/role-set.ts";

/** An object of a document, under the names that are published. Fields that are `undefined` are left out when it is written. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** How a value of the model is written in a document, and read back from one that its schema has found valid. */
export interface Codec<T, Written = unknown> {
  /** A field is left out where its value is written as `undefined`. */
  readonly encode: (value: T) => Written;
  readonly decode: (written: unknown) => T;
  /** Instead of the name that follows from the name in the model. */
  readonly name?: string;
  /** Its fields are written among those of the object that holds it. */
  readonly inline?: true;
  /** What is written where the model has no value. */
  readonly absent?: null;
  /** What the model holds where no value is written. */
  readonly missing?: T;
}

/** A field of the document that follows from the others, and is not read back. */
interface Derived<T> {
  readonly derive: (whole: T) => unknown;
}

/** Every field of the model, in the order in which a document has them: one that is forgotten does not compile. */
export type Members<T> = { readonly [Name in keyof T]-?: Codec<T[Name] & {}> };

type DerivedMembers<T, Extra extends string> = { readonly [Name in Extra]: Derived<T> };

/** An object, its fields renamed from `camelCase` to `snake_case`. JsonObject of a document that are not described are passed over. */
export function fields<T extends object, Extra extends string = never>(
  members: Members<NoInfer<T>> & DerivedMembers<NoInfer<T>, NoInfer<Extra>>,
): Codec<T, JsonObject> {
  const described = Object.entries(members as Readonly<Record<string, Codec<unknown> | Derived<T>>>);
  const encoders = described.map(([name, member]) => fieldEncoder<T>(name, member));
  const decoders = described.flatMap(([name, member]) => ("derive" in member ? [] : [fieldDecoder(name, member)]));
  return {
    encode: (value) => {
      const written: Record<string, unknown> = {};
      for (const encode of encoders) encode(value, written);
      return written;
    },
    decode: (written) => {
      const value: Record<string, unknown> = {};
      for (const decode of decoders) decode(written as JsonObject, value);
      return value as T;
    },
  };
}

type FieldStep<From> = (from: From, to: Record<string, unknown>) => void;

function fieldEncoder<T extends object>(name: string, member: Codec<unknown> | Derived<T>): FieldStep<T> {
  if ("derive" in member) {
    return (value, written) => {
      written[snakeCase(name)] = member.derive(value);
    };
  }
  const { encode, inline, absent } = member;
  if (inline) return (value, written) => Object.assign(written, encode(value[name as keyof T]));
  const publishedName = member.name ?? snakeCase(name);
  return (value, written) => {
    const own = value[name as keyof T];
    const text = own === undefined ? absent : encode(own);
    if (text !== undefined) written[publishedName] = text;
  };
}

function fieldDecoder(name: string, member: Codec<unknown>): FieldStep<JsonObject> {
  const { decode, inline, absent, missing } = member;
  const publishedName = member.name ?? snakeCase(name);
  return (written, value) => {
    const own = inline ? written : written[publishedName];
    const decoded = own === undefined || own === absent ? missing : decode(own);
    if (decoded !== undefined) value[name] = decoded;
  };
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
}

/** Those of a union that say so in the field that tells them apart. */
type VariantOf<T, Tag extends keyof T, Value> =
  T extends Readonly<Record<Tag, infer Own>> ? (Value extends Own ? T : never) : never;

/** A union, by the field that tells its members apart. */
export function variants<T extends object, Tag extends keyof T & string>(
  tag: Tag,
  codecs: { readonly [Value in T[Tag] & string]: Codec<VariantOf<T, Tag, Value>, JsonObject> },
): Codec<T, JsonObject> {
  const byTag = new Map(Object.entries(codecs) as [string, Codec<T, JsonObject>][]);
  const codecOf = (value: unknown) => {
    const codec = byTag.get(String(value));
    if (codec === undefined) throw new Error(`no ${tag} is ${value}`);
    return codec;
  };
  return {
    encode: (value) => codecOf(value[tag]).encode(value),
    decode: (written) => codecOf((written as JsonObject)[tag]).decode(written),
  };
}

export function list<T>(item: Codec<T>): Codec<readonly T[]> {
  return { encode: (items) => items.map(item.encode), decode: (written) => (written as unknown[]).map(item.decode) };
}

/** The same map in the order of its keys, so that the same is always the same text. */
export function sortedMap<Key extends string, Value>(map: ReadonlyMap<Key, Value>): ReadonlyMap<Key, Value> {
  return new Map([...map].sort(([a], [b]) => byCodeUnit(a, b)));
}

/** Texts, numbers and lists of texts, which are the same in a document. */
export const plain = {
  encode: (value: string | number | boolean | readonly string[]): unknown => value,
  decode: (written: unknown): never => written as never,
};

/** Objects that a document holds as the model does, under the model's names. */
export const verbatim = {
  encode: (value: object): JsonObject => value as JsonObject,
  decode: (written: unknown): never => written as never,
};

/** Sorted again: lists of roles are compared as they are, so that one in another order must not come in. */
export const roles: Codec<RoleSet> = {
  encode: (value) => value,
  decode: (written) => roleSet(written as readonly string[]),
};

/** Under a name that does not follow from the name in the model. */
export function named<C>(name: string, codec: C): C & { readonly name: string } {
  return { ...codec, name };
}

/** Written as `null` where the model has none. */
export function orNull<T>(codec: Codec<NoInfer<T>>): Codec<T> {
  return { ...codec, absent: null };
}

/** Its fields stand among those of the object that holds it. */
export function inline<T>(codec: Codec<NoInfer<T>, JsonObject>): Codec<T> {
  return { ...codec, inline: true };
}

export function derived<T>(derive: (whole: T) => unknown): Derived<T> {
  return { derive };
}
