// What tests take of Node. Its own types would change those of the browser.
declare module "node:test" {
  type Run = () => void | Promise<void>;
  export function test(name: string, run: Run): void;
  /** @param options.timeout milliseconds after which the test fails */
  export function test(name: string, options: { timeout: number }, run: Run): void;
}

declare module "node:assert/strict" {
  interface Assert {
    deepEqual(got: unknown, want: unknown, message?: string): void;
    match(got: string, want: RegExp, message?: string): void;
    equal(got: unknown, want: unknown, message?: string): void;
    ok(value: unknown, message?: string): asserts value;
    rejects(
      run: () => Promise<unknown>,
      error: RegExp | (new (...a: never[]) => Error),
      message?: string,
    ): Promise<void>;
    throws(run: () => unknown, error: new (...a: never[]) => Error, message?: string): void;
  }
  const assert: Assert;
  export default assert;
}
