/** Which signals stop a process, and what came with one. MI has no commands for them. */
import { select, type GdbThread, type MiCommands } from './context';
import { GdbError } from './mi-connection';
import { text } from './mi-values';

/** The signals, and whether gdb stops for them now. */
export async function infoSignals(gdb: MiCommands): Promise<Map<string, boolean>> {
  const printed = await gdb.console('info signals');
  return new Map([...printed.matchAll(/^(SIG\w+)\s+(Yes|No)\s/gm)].map(([, name, stops]) => [name!, stops === 'Yes']));
}

/** The process gets the signals either way. */
export async function handleSignals(gdb: MiCommands, names: readonly string[], stop: boolean): Promise<void> {
  if (names.length > 0) await gdb.console(`handle ${names.join(' ')} ${stop ? 'stop print' : 'nostop noprint'} pass`);
}

/** What the kernel told of the signal that stopped a thread. */
export interface SignalInfo {
  /** Why: SEGV_MAPERR is 1, SI_USER 0, … */
  code: number;
  /** The address, for SIGSEGV, SIGBUS, SIGFPE and SIGILL. */
  address: bigint;
  /** The pid of the process that sent the signal. */
  sender: number;
}

/** undefined where gdb cannot tell. */
export async function signalInfo(thread: GdbThread): Promise<SignalInfo | undefined> {
  const read = async (member: string): Promise<bigint> => {
    const command = `-data-evaluate-expression ${select(thread, 0)} --language c ${`"(long)$_siginfo.${member}"`}`;
    return BigInt(text(await thread.gdb.command(command), 'value'));
  };
  try {
    const [code, address, sender] = await Promise.all(
      ['si_code', '_sifields._sigfault.si_addr', '_sifields._kill.si_pid'].map(read),
    );
    return { code: Number(code), address: BigInt.asUintN(64, address!), sender: Number(sender) };
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}

/** The thread goes on without the signal that it stopped for. Rejects with GdbError. */
export async function dropSignal(thread: GdbThread): Promise<void> {
  await thread.gdb.console('queue-signal 0', thread);
}

/** The type of the C++ exception that stopped a thread; undefined where libstdc++ does not tell gdb. */
export async function thrownType(thread: GdbThread): Promise<string | undefined> {
  try {
    return /^type = (?:(?:struct|class|union) )?(.*?)\s*&*$/m.exec(
      await thread.gdb.console('whatis $_exception', thread),
    )?.[1];
  } catch (error) {
    if (!(error instanceof GdbError)) throw error;
    // A type without debug information, of which gdb knows only the name.
    const missing = /^No symbol "(.+?)" in (?:namespace "(.+?)"|current context)/.exec(error.message);
    if (missing === null) return undefined;
    return missing[2] === undefined ? missing[1] : `${missing[2]}::${missing[1]!}`;
  }
}

/** "St12out_of_range" is std::out_of_range. undefined: it is no type that gdb can read. */
export async function demangledType(thread: GdbThread, mangled: string): Promise<string | undefined> {
  if (!/^\w+$/.test(mangled)) return undefined;
  try {
    return /^typeinfo for (.+)$/m.exec(await thread.gdb.console(`demangle -l c++ -- _ZTI${mangled}`))?.[1];
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}

/** The exception itself, as gdb prints it. */
export async function thrownValue(thread: GdbThread): Promise<string | undefined> {
  try {
    const command = `-data-evaluate-expression ${select(thread)} --language c++ "$_exception"`;
    return text(await thread.gdb.command(command), 'value');
  } catch (error) {
    if (error instanceof GdbError) return undefined;
    throw error;
  }
}
