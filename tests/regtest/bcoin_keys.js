// The keys of a wallet, derived by bcoin's own library.
//
//   NODE_BACKEND=js node bcoin_keys.js BCOIN KIND SPAN <MASTER_KEY
//
// BCOIN is the path that tools/fetch-bcoin prints. The answer is a JSON list of
// two chains, receiving and change, of SPAN keys each.
'use strict';

const fs = require('fs');
const {createRequire} = require('module');

const ACCOUNTS = {
  'pkh': 'm/44h/1h/0h',
  'sh-wpkh': 'm/49h/1h/0h',
  'wpkh': 'm/84h/1h/0h'
};

const [starter, kind, span] = process.argv.slice(2);
const bcoin = createRequire(fs.realpathSync(starter))('bcoin');
const master = bcoin.HDPrivateKey.fromBase58(fs.readFileSync(0, 'ascii'));
const account = master.derivePath(ACCOUNTS[kind].replace(/h/g, '\''));

function key(chain, index) {
  const {privateKey} = account.derive(chain).derive(index);
  const ring = bcoin.KeyRing.fromPrivate(privateKey);
  ring.witness = kind !== 'pkh';
  const address = kind === 'sh-wpkh' ? ring.getNestedAddress()
                                     : ring.getAddress();
  return {
    address: address.toString('regtest'),
    secret: ring.toSecret('regtest'),
    program: ring.witness ? ring.getProgram().toJSON() : null
  };
}

const indices = Array.from({length: Number(span)}, (_, index) => index);
const chains = [0, 1].map(chain => indices.map(index => key(chain, index)));

console.log(JSON.stringify(chains));
