//! The distributions of YCSB's key choosers, as numbers from uniform random ones.

/// The exponent of YCSB's zipfian distributions.
pub const ZIPFIAN_EXPONENT: f64 = 0.99;

/// The items of a scrambled zipfian distribution before they are hashed to keys.
const SCRAMBLED_ITEMS: u64 = 10_000_000_000;
/// The zeta sum of this many items, which takes minutes to compute. YCSB has the same number.
const SCRAMBLED_ZETA: f64 = 26.469_028_201_783_02;

/// Item `i` of `n` is chosen with a probability in proportion to `1 / (i + 1)^0.99`. The method is that of Gray et
/// al., "Quickly Generating Billion-Record Synthetic Databases", SIGMOD 1994, which approximates all but the first two.
#[derive(Clone, Debug)]
pub struct Zipfian {
    items: u64,
    zeta: f64,
    eta: f64,
}

impl Zipfian {
    /// Over `0..items`, at least one. Takes time in proportion to the items.
    pub fn new(items: u64) -> Zipfian {
        Zipfian::with_zeta(items, zeta(0, items.max(1), 0.0))
    }

    fn with_zeta(items: u64, zeta: f64) -> Zipfian {
        let mut zipfian = Zipfian { items: items.max(1), zeta, eta: 0.0 };
        zipfian.set_eta();
        zipfian
    }

    fn set_eta(&mut self) {
        let theta = ZIPFIAN_EXPONENT;
        let share = (2.0 / self.items as f64).powf(1.0 - theta);
        self.eta = (1.0 - share) / (1.0 - zeta(0, 2, 0.0) / self.zeta);
    }

    /// Extends the distribution to `0..items`; takes time in proportion to the new items.
    pub fn grow(&mut self, items: u64) {
        if items > self.items {
            self.zeta = zeta(self.items, items, self.zeta);
            self.items = items;
            self.set_eta();
        }
    }

    /// Returns an item; `uniform` is from `[0, 1)`.
    #[inline]
    pub fn pick(&self, uniform: f64) -> u64 {
        let scaled = uniform * self.zeta;
        if scaled < 1.0 {
            return 0;
        }
        if scaled < 1.0 + 0.5f64.powf(ZIPFIAN_EXPONENT) {
            return 1.min(self.items - 1);
        }
        let exponent = 1.0 / (1.0 - ZIPFIAN_EXPONENT);
        let item = self.items as f64 * (self.eta * uniform - self.eta + 1.0).powf(exponent);
        (item as u64).min(self.items - 1)
    }
}

/// `initial` and the sum of `1 / i^0.99` for i from `from + 1` to `to`.
fn zeta(from: u64, to: u64, initial: f64) -> f64 {
    (from..to).fold(initial, |sum, i| sum + 1.0 / ((i + 1) as f64).powf(ZIPFIAN_EXPONENT))
}

/// Popular items as with [`Zipfian`], spread over all keys by a hash: neighbours are not equally popular.
#[derive(Clone, Debug)]
pub struct Scrambled {
    first: u64,
    keys: u64,
    zipfian: Zipfian,
}

impl Scrambled {
    /// Over `first..first + keys`.
    pub fn new(first: u64, keys: u64) -> Scrambled {
        let zipfian = Zipfian::with_zeta(SCRAMBLED_ITEMS + 1, SCRAMBLED_ZETA);
        Scrambled { first, keys: keys.max(1), zipfian }
    }

    /// Returns a key; `uniform` is from `[0, 1)`.
    #[inline]
    pub fn pick(&self, uniform: f64) -> u64 {
        self.first + fnv(self.zipfian.pick(uniform)) % self.keys
    }
}

/// A fraction of the keys, the first ones, gets a fraction of the operations; all within a part are equally likely.
#[derive(Clone, Debug)]
pub struct Hotspot {
    first: u64,
    hot: u64,
    cold: u64,
    hot_operations: f64,
}

impl Hotspot {
    /// Over `first..first + keys`.
    pub fn new(first: u64, keys: u64, hot_keys: f64, hot_operations: f64) -> Hotspot {
        let hot = (keys as f64 * hot_keys) as u64;
        Hotspot { first, hot, cold: keys - hot.min(keys), hot_operations }
    }

    /// Returns a key; both are from `[0, 1)`.
    #[inline]
    pub fn pick(&self, part: f64, uniform: f64) -> u64 {
        let is_hot = (part < self.hot_operations && self.hot > 0) || self.cold == 0;
        let (begin, len) = if is_hot { (0, self.hot) } else { (self.hot, self.cold) };
        self.first + begin + (uniform * len as f64) as u64
    }
}

/// How far back from the newest record: `percentile` percent of the choices are less than `range` back.
#[derive(Clone, Debug)]
pub struct Exponential {
    mean: f64,
}

impl Exponential {
    /// `percentile` is below 100.
    pub fn new(percentile: f64, range: f64) -> Exponential {
        Exponential { mean: range / -(1.0 - percentile / 100.0).ln() }
    }

    /// Returns a distance; `uniform` is from `[0, 1)`.
    #[inline]
    pub fn pick(&self, uniform: f64) -> u64 {
        (-(1.0 - uniform).ln() * self.mean) as u64
    }
}

/// Returns the FNV-1a hash of a number's eight bytes, without its sign, as YCSB hashes keys.
#[inline]
pub fn fnv(number: u64) -> u64 {
    let hash = number.to_le_bytes().iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    });
    (hash as i64).unsigned_abs()
}
