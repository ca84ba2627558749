/** Where the program makes its calls: the functions of the addresses that they return to. */
import type { ProcessImage } from '../../../plugin-api/image';
import type { CodeRef, ThreadCalls } from '../../../plugin-api/overlays/records';
import { guard } from '../../../plugin-api/result';

/** The same calls with function and file of each place, where they can be found. */
export async function withPlaces(image: ProcessImage, threads: readonly ThreadCalls[]): Promise<ThreadCalls[]> {
  const known = new Map<string, Promise<CodeRef>>();
  const placeOf = (code: CodeRef): Promise<CodeRef> => {
    const found = known.get(code.address) ?? describe(image, code);
    known.set(code.address, found);
    return found;
  };
  return Promise.all(
    threads.map(async (thread) => ({
      ...thread,
      calls: await Promise.all(
        thread.calls.map(async (call) =>
          call.code === undefined ? call : { ...call, code: await placeOf(call.code) },
        ),
      ),
    })),
  );
}

async function describe(image: ProcessImage, code: CodeRef): Promise<CodeRef> {
  // A call may be the last instruction of its function.
  const address = BigInt(code.address) - 1n;
  const found = await guard(async () => {
    const [symbol, modules] = await Promise.all([image.symbolAt(address), image.modules()]);
    const module = modules.find(({ segments }) =>
      segments.some((each) => address >= each.address && address < each.address + BigInt(each.size)),
    );
    return {
      ...(symbol === undefined ? {} : { function: symbol.name }),
      ...(module === undefined ? {} : { module: module.path }),
    };
  });
  return found.ok ? { ...code, ...found.value } : code;
}
