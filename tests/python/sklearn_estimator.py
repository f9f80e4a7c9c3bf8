"""Checks the transformer for scikit-learn, beside scikit-learn's own.

python3 -m unittest sklearn_estimator: with this folder and that of the package in PYTHONPATH.
"""

import pickle
import unittest

import numpy
from rfbench.sklearn import RandomFeatures
from scipy.sparse import csr_matrix
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils.estimator_checks import check_estimator


def points(seed=0, n=60, d=4):
    return numpy.random.default_rng(seed).standard_normal((n, d))


class Estimator(unittest.TestCase):
    def test_it_keeps_to_the_conventions(self):
        check_estimator(RandomFeatures())
        check_estimator(RandomFeatures("trigonometric", n_components=10))

    def test_it_pickles_to_the_same_bits(self):
        x = points()
        fitted = RandomFeatures(random_state=3).fit(x)
        again = pickle.loads(pickle.dumps(fitted))
        self.assertTrue(numpy.array_equal(again.transform(x), fitted.transform(x)))
        self.assertEqual(fitted.map_.seed, 3)

    def test_names_of_features(self):
        fitted = RandomFeatures("trigonometric", n_components=5).fit(points())
        self.assertEqual(list(fitted.get_feature_names_out()), [f"randomfeatures{i}" for i in range(4)])
        self.assertEqual(fitted.transform(points()).shape, (60, 4))  # two columns a draw

    def test_it_is_searched_beside_others(self):
        x = points(1, 90)
        labels = (x[:, 0] * x[:, 1] > 0).astype(int)
        pipe = Pipeline([("features", RandomFeatures()), ("ridge", RidgeClassifier())])
        grid = [{"features": [RandomFeatures(n_components=40, random_state=0)], "features__gamma": [0.1, 0.5]}]
        grid += [{"features": [RBFSampler(n_components=40), Nystroem(n_components=40)]}]
        search = GridSearchCV(pipe, grid, cv=2, error_score="raise").fit(x, labels)
        self.assertEqual(len(search.cv_results_["params"]), 4)

    def test_gamma_scales_with_the_rows(self):
        x = points(4, 60)
        own = RandomFeatures(gamma="scale", random_state=0).fit(x)
        self.assertAlmostEqual(own.gamma_, 1 / (x.shape[1] * x.var()))
        same = RandomFeatures(gamma=own.gamma_, random_state=0).fit(x)
        self.assertTrue((own.transform(x) == same.transform(x)).all())

    def test_features_that_differ_by_side_are_refused_whatever_the_first_rows_are(self):
        estimator = RandomFeatures("dense-asymmetric", random_state=0)
        with self.assertRaisesRegex(ValueError, "has other features for x than for y"):
            estimator.fit(numpy.vstack([numpy.zeros((16, 3)), numpy.random.default_rng(0).normal(size=(50, 3))]))
        self.assertFalse(hasattr(estimator, "map_"))

    def test_what_is_not_taken_is_refused(self):
        x = points()
        for estimator, said in (
            (RandomFeatures("dense-asymmetric"), "has other features for x than for y"),
            (RandomFeatures(gamma=-1.0), "gamma: -1.0"),
            (RandomFeatures(gamma="auto"), "gamma: 'auto' is given; a positive number or 'scale'"),
            (RandomFeatures(n_components=0), "n_components: 0 is given"),
            (RandomFeatures(gamma=1e5), "a smaller gamma"),
            (RandomFeatures("positve"), "positive"),
            (RandomFeatures("luna"), "'luna' is what a training of attention leaves behind"),
            (RandomFeatures("learned-points"), "'learned-points' is what a training"),
        ):
            with self.assertRaisesRegex(ValueError, said):
                estimator.fit(x).transform(x)
        with self.assertRaisesRegex(TypeError, "dense data is required"):
            RandomFeatures().fit(csr_matrix(x))


class Law(unittest.TestCase):
    def test_trigonometric_features_have_the_law_of_rbf_sampler(self):
        # Estimates of one kernel value by independent transformers. RBFSampler draws phases, whose estimates have another
        # variance and the same mean, K: both means are within six standard errors of it.
        x, repeats, gamma = points(2, 2), 400, 0.3
        kernel = numpy.exp(-gamma * ((x[0] - x[1]) ** 2).sum())
        for make in (
            lambda seed: RandomFeatures("trigonometric", "iid", 20, gamma, seed),
            lambda seed: RandomFeatures("cosine-phase", "iid", 20, gamma, seed),
            lambda seed: RBFSampler(gamma=gamma, n_components=20, random_state=seed),
        ):
            estimates = []
            for seed in range(repeats):
                a, b = make(seed).fit(x).transform(x)
                estimates.append(a @ b)
            error = numpy.std(estimates) / numpy.sqrt(repeats)
            self.assertLess(abs(numpy.mean(estimates) - kernel), 6 * error)
            self.assertLess(error, 0.1)

    def test_cosine_phase_features_have_its_variance(self):
        # Var of (1/M) sum of 2 cos(w.x + b) cos(w.y + b): both samplers draw this law. The standard error of an empirical
        # variance is sqrt(kurtosis - 1) of it over sqrt(repeats), with a kurtosis near that of a normal for 20 draws.
        x, repeats, gamma = points(3, 2), 400, 0.3
        exact = 0
        for make in (
            lambda seed: RandomFeatures("cosine-phase", "iid", 20, gamma, seed),
            lambda seed: RBFSampler(gamma=gamma, n_components=20, random_state=seed),
        ):
            fitted = [make(seed).fit(x) for seed in range(repeats)]
            if not exact:
                exact = fitted[0].mechanism_.variance(*(numpy.sqrt(2 * gamma) * x), 20)
            variance = numpy.var([numpy.prod(f.transform(x), 0).sum() for f in fitted], ddof=1)
            self.assertLess(abs(variance / exact - 1), 6 * numpy.sqrt(2.5 / repeats))


if __name__ == "__main__":
    unittest.main()
