"""Calls of scipy.cluster, scipy.spatial and scipy.interpolate."""

from __future__ import annotations

from scipy import interpolate, spatial
from scipy.cluster import hierarchy, vq
from scipy.spatial import distance
from scipy.spatial.transform import RigidTransform, Rotation, Slerp

from .client_calls import ClientCall, constant
from .numpy_calls import of, varying

TO_NUMPY = "Can't call numpy() on Tensor that requires grad"
POINTS, CODES = varying(8, 3, seed=1), varying(3, 3, seed=2)
QUATERNIONS = varying(4, 4, seed=3)
VECTORS = varying(4, 3, seed=4)
X = constant([0.0, 0.5, 1.2, 2.0, 2.2])

CALLS = [
    ClientCall("whiten", vq.whiten, POINTS, mutates=True), ClientCall("vq", vq.vq, POINTS, CODES, refused=TO_NUMPY),
    ClientCall("kmeans", lambda x, c: vq.kmeans(x, c, rng=0), POINTS, CODES, refused=TO_NUMPY),
    ClientCall("kmeans2", lambda x, c: vq.kmeans2(x, c, minit="matrix"), POINTS, CODES, refused=TO_NUMPY),
    ClientCall("linkage", hierarchy.linkage, POINTS, refused=TO_NUMPY),
    ClientCall("fcluster", lambda x: hierarchy.fcluster(hierarchy.linkage(x), 0.4, "distance"), POINTS,
        refused=TO_NUMPY),
    # ---- rotations
    ClientCall("Rotation.as_matrix", lambda q: Rotation.from_quat(q).as_matrix(), QUATERNIONS),
    ClientCall("Rotation.as_quat", lambda v: Rotation.from_rotvec(v).as_quat(), VECTORS),
    ClientCall("Rotation.as_rotvec", lambda q: Rotation.from_quat(q).as_rotvec(), QUATERNIONS),
    ClientCall("Rotation.as_euler", lambda q: Rotation.from_quat(q).as_euler("xyz"), QUATERNIONS),
    ClientCall("Rotation.as_mrp", lambda q: Rotation.from_quat(q).as_mrp(), QUATERNIONS),
    ClientCall("Rotation.from_euler", lambda a: Rotation.from_euler("xyz", a).as_matrix(), VECTORS),
    ClientCall("Rotation.from_mrp", lambda a: Rotation.from_mrp(a).as_quat(), VECTORS),
    ClientCall("Rotation.from_matrix", lambda v: Rotation.from_matrix(Rotation.from_rotvec(v).as_matrix()).as_rotvec(),
        VECTORS),
    ClientCall("Rotation.apply", lambda q, v: Rotation.from_quat(q).apply(v), QUATERNIONS, VECTORS),
    ClientCall("Rotation.apply inverse", lambda q, v: Rotation.from_quat(q).apply(v, inverse=True), QUATERNIONS,
        VECTORS),
    ClientCall("Rotation.__mul__", lambda q, v: (Rotation.from_quat(q) * Rotation.from_rotvec(v)).as_matrix(),
        QUATERNIONS, VECTORS),
    ClientCall("Rotation.inv", lambda q: Rotation.from_quat(q).inv().as_quat(), QUATERNIONS),
    ClientCall("Rotation.magnitude", lambda q: Rotation.from_quat(q).magnitude(), QUATERNIONS),
    ClientCall("Rotation.__pow__", lambda v: (Rotation.from_rotvec(v) ** 0.5).as_matrix(), VECTORS),
    ClientCall("Rotation.mean", lambda q: Rotation.from_quat(q).mean().as_matrix(), QUATERNIONS),
    ClientCall("Rotation.__getitem__", lambda q: Rotation.from_quat(q)[1].as_matrix(), QUATERNIONS),
    ClientCall("Rotation.align_vectors", lambda a, b: Rotation.align_vectors(a, b)[0].as_matrix(), VECTORS,
               varying(4, 3, seed=5), mutates=True),
    ClientCall("RigidTransform", lambda v, t: RigidTransform.from_components(t, Rotation.from_rotvec(v)).apply(t),
        VECTORS,
               varying(4, 3, seed=6)),
    ClientCall("RigidTransform.from_exp_coords", lambda c: RigidTransform.from_exp_coords(c).as_matrix(),
        varying(2, 6)),
    ClientCall("Slerp", lambda v: Slerp([0.0, 1.0, 2.0, 3.0], Rotation.from_rotvec(v))([0.5, 1.5]).as_matrix(),
        VECTORS),
    # ---- distances
    *(ClientCall(name, getattr(distance, name), varying(4, seed=7), varying(4, seed=8), converts=True, refused=TO_NUMPY)
      for name in ("euclidean", "sqeuclidean", "cosine", "correlation", "cityblock", "chebyshev", "canberra",
          "braycurtis",
                   "jensenshannon", "minkowski")),
    ClientCall("cdist", distance.cdist, POINTS, CODES, converts=True, refused=TO_NUMPY),
    ClientCall("pdist", distance.pdist, POINTS, refused=TO_NUMPY),
    ClientCall("squareform", distance.squareform, of([1.0, 2.0, 3.0]), converts=True, refused=TO_NUMPY),
    ClientCall("procrustes", spatial.procrustes, VECTORS, varying(4, 3, seed=5), converts=True, refused=TO_NUMPY),
    # ---- interpolation
    ClientCall("CubicSpline", lambda x, y: interpolate.CubicSpline(x, y)(0.7), X, varying(5), refused=TO_NUMPY),
    ClientCall("PchipInterpolator", lambda x, y: interpolate.PchipInterpolator(x, y)(0.7), X, varying(5),
        refused=TO_NUMPY),
    ClientCall("make_interp_spline", lambda x, y: interpolate.make_interp_spline(x, y)(0.7), X, varying(5),
        refused=TO_NUMPY),
    ClientCall("RBFInterpolator", lambda p, y: interpolate.RBFInterpolator(p, y)(p[:2] + 0.1), POINTS,
        varying(8, seed=9), known="view(): argument"),
    ClientCall("RegularGridInterpolator", lambda x, v: interpolate.RegularGridInterpolator((x, x), v)([[0.3, 0.8]]), X,
               varying(5, 5), refused=TO_NUMPY),
]
